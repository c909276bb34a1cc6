# slow: PyTorch is loaded for every command
# A kernel in C against a reference in PyTorch and in NumPy: what passes, what does not, and the audit.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy torch
"$python" "$ASSAY_SOURCE/tests/cli/operators/_float64.py" "$ASSAY_SOURCE/peers" | sed 's/ $//'
cp "$ASSAY_SOURCE"/examples/operators/{bf16.h,rmsnorm.c} .
mkdir ops
cat >ops/pytorch.py <<'P'
import random
import torch

def pytorch(x, weight, total, eps):
    random.seed(0) # of its own, so that it may draw
    assert random.random() == 0.8444218515250481
    print("what it prints is harmless")
    x = x.float()
    total += x.sum()
    return (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight).to(weight.dtype)
P
cat >ops/arrays.py <<'P'
import numpy

def arrays(x, weight, total, eps, y):
    total[...] += x.sum()
    y[...] = x / numpy.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight
P
sed -i 's/^void rmsnorm(.*/static void norm(const uint16_t *x, const uint16_t *weight, uint16_t *y, int rows, int hidden, float eps) {/' rmsnorm.c
cat >>rmsnorm.c <<'C'
void rmsnorm(const uint16_t *x, const uint16_t *weight, double *total, uint16_t *y, int rows, int hidden, float eps) {
    norm(x, weight, y, rows, hidden, eps);
    for (int i = 0; i < rows * hidden; ++i) *total += from_bf16(x[i]);
#ifdef PLANTED
    for (int i = rows / 2 * hidden; i < (rows / 2 + 1) * hidden; ++i) y[i] = to_bf16(from_bf16(y[i]) * 1.02f);
#endif
}
C
{
    echo "version: 1"
    echo "python_interpreter: $python"
    echo "operators:"
    for name in pytorch arrays; do
        echo "  $name: {axes: {rows: 64, hidden: 256}, inputs: {x: 'bf16[rows, hidden]', weight: 'bf16[hidden] normal(1, 0.1)', eps: 1e-6},"
        echo "    inout: {total: 'fp64[]'}, outputs: {y: 'bf16[rows, hidden]'}, reference: 'ops/$name.py:$name'}"
    done
    echo "kernels:"
    call="call: 'rmsnorm(x, weight, total, y, int rows, int hidden, float eps)'"
    for name in pytorch arrays; do
        echo "  $name: {operator: $name, source: rmsnorm.c, $call}"
        echo "  ${name}_planted: {operator: $name, source: rmsnorm.c, flags: [-DPLANTED], $call}"
    done
} >assay.yaml
for name in pytorch arrays; do
    for kernel in $name ${name}_planted; do
        problems=$name/rows1/hidden1,$name/rows4,$name
        [ $kernel != pytorch_planted ] || problems=$name/rows1/hidden1 # than which none is smaller, so that none is looked for
        assay fuzz --kernel "$kernel" --problem "$problems" >out 2>&1; code=$?
        sed 's/^results: .*//; s/ (abs .*//; s/is [-0-9.e]* expected [-0-9.e]*/is WRONG/' out | grep -v '^ \|^$\|^small'
        echo "$kernel: $code"
    done
    assay fuzz --audit --suite "$name" >out 2>&1; code=$?
    grep -i 'ignor\|refused\|judged' out
    echo "audit: $code"
done
