# Functions of the real NumPy and the real PyTorch, called by the names of their parameters.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
python=/usr/bin/python3
"$python" -c 'import numpy, torch' 2>/dev/null || { echo "SKIPPED: $python lacks NumPy or PyTorch"; exit 0; }
cp "$ASSAY_SOURCE"/tests/cli/python/_packages/*.py .
cat >norm.c <<'C'
#include <math.h>
void norm(const double *x, const double *weight, double *y, double *total, double *count, int rows, int hidden, double eps) {
    for (int r = 0; r < rows; ++r) {
        total[r] = 0;
        for (int i = 0; i < hidden; ++i) total[r] += x[r * hidden + i] * x[r * hidden + i];
        for (int i = 0; i < hidden; ++i) y[r * hidden + i] = x[r * hidden + i] / sqrt(total[r] / hidden + eps) * weight[i];
        count[r] += 1;
    }
}
C
cat >bits.c <<'C'
#include <stdint.h>
void bits(const uint8_t *mask, const double *b, const double *e, double *c, double *f, uint8_t *not, int n) {
    for (int i = 0; i < n; ++i) c[i] = mask[i] ? b[i] : -b[i], f[i] = e[i], not[i] = !mask[i];
}
C
cat >assay.yaml <<Y
version: 1
python_interpreter: $python
operators:
  norm:
    axes: {rows: 3, hidden: 8}
    inputs: {x: "fp32[rows, hidden]", weight: "fp32[hidden]", eps: 1e-5}
    inout: {count: "fp32[rows]"}
    outputs: {y: "fp32[rows, hidden]", total: "fp32[rows]"}
    reference: norm.c
    reference_call: "norm(x, weight, y, total, count, int rows, int hidden, double eps)"
  bits:
    axes: {n: 30}
    inputs: {mask: "bool[n] mask(0.7)", b: "bf16[n]", e: "fp8_e4m3[n]"}
    outputs: {c: "bf16[n]", f: "fp8_e4m3[n]", not: "bool[n]"}
    reference: bits.c
    reference_call: "bits(mask, b, e, c, f, not, int n)"
kernels:
  scripted: {operator: norm, python: "with_torch:scripted", call: [x, weight, y, total, count]}
Y
try() {
    assay fuzz --kernel "$1" --problem "${2-norm}" --seed 42 >out 2>&1
    echo "$1: exit $? $(grep -m1 -oE 'PASS|launch_failed: .*|stale|assay: .*' out)"
}
for name in norm named written; do try with_numpy:$name; done
try with_numpy:bits bits
for name in norm written; do try with_torch:$name; done
try scripted
# No problem is smaller than these, so that none is looked for.
for name in viewed double shape number fixed stale; do try with_numpy:$name norm/rows1/hidden1; done
for name in viewed scripted; do try with_torch:$name norm/rows1/hidden1; done
