# Functions that know nothing of assay: what they are given, what they may return, and a sentence for each that does not fit.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
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
cat >kern/named.py <<'P'
def norm(x, weight, eps, hidden, y, total, count, rows: int, scale=1.0, *, stream):
    assert stream is None and scale == 1.0 and (type(rows), type(hidden), type(eps)) == (int, int, float)
    x, weight, y, total, count = (t.memory().cast("f") for t in (x, weight, y, total, count))
    for r in range(rows):
        row = x[r * hidden:(r + 1) * hidden]
        total[r] = sum(v * v for v in row)
        count[r] += 1
        for i in range(hidden):
            y[r * hidden + i] = row[i] / (total[r] / hidden + eps) ** 0.5 * weight[i] * scale


def other(a, b, out, sums, n, rows, hidden, eps):
    norm(a, b, eps, hidden, out, sums, n, rows, stream=None)


def swapped(x, weight, y, total, count, rows, hidden, eps):
    norm(weight, x, eps, hidden, y, total, count, rows, stream=None)


def misnamed(x, w, y, total, count): pass
P
cat >kern/named_torch.py <<'P'
import torch
from torch.nn.functional import scaled_dot_product_attention


def returns(q, k, v, scale, causal=0):
    return scaled_dot_product_attention(q, k, v, is_causal=bool(causal), scale=scale)


def returns_dict(q, k, v, scale, causal, mask=None):
    return {"out": returns(q, k, v, scale, causal)}
P
cat >assay.yaml <<'Y'
version: 1
operators:
  norm:
    axes: {rows: 3, hidden: 8}
    inputs: {x: "fp32[rows, hidden]", weight: "fp32[hidden]", eps: 1e-5}
    inout: {count: "fp32[rows]"}
    outputs: {y: "fp32[rows, hidden]", total: "fp32[rows]"}
    reference: norm.c
    reference_call: "norm(x, weight, y, total, count, int rows, int hidden, double eps)"
kernels:
  named: {operator: norm, python: "kern.named:norm"}
  listed: {operator: norm, python: "kern.named:other", call: [x, weight, y, total, count, rows, hidden, eps]}
  written: {operator: norm, python: "kern.named:other", call: "other(x, weight, y, total, count, rows, hidden, eps)"}
Y
try() {
    assay fuzz --kernel "$1" --problem "${2-norm}" --seed 42 >out 2>&1
    echo "$1: exit $? $(grep -m1 -oE 'PASS|launch_failed: .*|assay: .*' out)"
}
python3 "$ASSAY_SOURCE"/tests/cli/python/_by_name.py "$ASSAY_SOURCE"/peers
order='(x, weight, y, total, count, rows, hidden, eps)'
for name in named listed written "kern.named:other$order" 'kern.named:other(x, wieght)' 'kern.named:other(x'; do
    try "$name"
done
try kern.named:misnamed norm/rows1/hidden1
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
for name in returns returns_dict 'returns(q, k, v, scale)'; do
    try "kern.named_torch:$name" attention/fp32/b1/h1/s2/d2
done
try 'kern.named_torch:returns(q, mask)' attention/fp32/b1/h1/s1/d1
assay fuzz --kernel "kern.named:swapped$order" --problem norm/hidden1/rows1 --seed 42 | grep repeat:
assay bench --kernel "kern.named:norm,kern.named:other$order" --vs "kern.named:swapped$order" --problem norm --dry-run | head -3
wrong() { # the key 'call' of a kernel in Python
    sed "s/^  listed:.*/  listed: {operator: norm, python: \"kern.named:other\", call: $1}/" assay.yaml >wrong.yaml
    assay list kernels --manifest wrong.yaml 2>&1 | sed 's,.*/wrong.yaml,wrong.yaml,'
}
wrong '[x, weight, totl]'
wrong '"other(x, weight, totl)"'
wrong '"another(x)"'
wrong '"other(x"'
wrong '[]'
wrong '{x: 1}'
wrong '[x, "y z"]'
