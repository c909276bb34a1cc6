# campaign: the compiler takes half a minute for PyTorch's headers
# The example of torch.utils.cpp_extension: a function of its module, and the operator of PyTorch that it registers.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python=/usr/bin/python3
"$python" -c 'import torch, setuptools' 2>/dev/null || { echo "SKIPPED: $python lacks PyTorch or setuptools"; exit 0; }
cp -r "$ASSAY_SOURCE/examples/cpp_extension/." .
"$python" setup.py -q build_ext --inplace >log 2>&1 || {
    grep -q 'torch/extension.h: No such file' log && { echo "SKIPPED: PyTorch's headers are not installed"; exit 0; }
    tail -20 log
    exit 1
}
echo "python_interpreter: $python" >>assay.yaml
for kernel in function op; do assay fuzz --kernel $kernel --problem rmsnorm/rows3/hidden17,rmsnorm | grep -E '^[0-9]+/'; done
