# A start for a Triton kernel. What needs no GPU is tried: the files are Python, the manifest is read, and the operator judges a kernel in C.
assay init --triton
find . -type f | sort && python3 -m py_compile rmsnorm_triton.py ops/rmsnorm.py && sed 1,2d assay.yaml
for also in "" --github "--operator ops/rmsnorm.py" "--output other.yaml"; do
    # shellcheck disable=SC2086
    assay init --triton $also 2>&1
    echo "exit $?"
done
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
for python in python3 /usr/bin/python3; do "$python" -c 'import torch' 2>/dev/null && break; done
"$python" -c 'import torch' 2>/dev/null || { echo "SKIPPED: no python3 here has PyTorch"; exit 0; }
cp "$ASSAY_SOURCE"/examples/operators/{rmsnorm.c,bf16.h} .
echo "python_interpreter: $python" >>assay.yaml
sed -i '/^kernels/a\  c: {operator: rmsnorm, source: rmsnorm.c, call: "rmsnorm(x, weight, y, int rows, int hidden, float eps)"}' assay.yaml
assay list kernels | grep rmsnorm
assay fuzz --kernel c --problem rows=3,hidden=100 2>&1 | grep -oE 'PASS|[0-9]/[0-9] passed'
