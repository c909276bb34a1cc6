# The operator of a start for a Triton kernel judges a kernel in C.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
for python in python3 /usr/bin/python3; do "$python" -c 'import torch' 2>/dev/null && break; done
"$python" -c 'import torch' 2>/dev/null || { echo "SKIPPED: no python3 here has PyTorch"; exit 0; }
assay init --triton >/dev/null
cp "$ASSAY_SOURCE"/examples/operators/{rmsnorm.c,bf16.h} .
echo "python_interpreter: $python" >>assay.yaml
sed -i '/^kernels/a\  c: {operator: rmsnorm, source: rmsnorm.c, call: "rmsnorm(x, weight, y, int rows, int hidden, float eps)"}' assay.yaml
assay list kernels | grep rmsnorm
assay fuzz --kernel c --problem rows=3,hidden=100 2>&1 | grep -oE 'PASS|[0-9]/[0-9] passed'
