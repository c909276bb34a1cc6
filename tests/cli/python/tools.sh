# Kernels of Numba and of torch.library, as they are: docs/kernel-tools.md.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python=/usr/bin/python3
"$python" -c 'import numba, numpy, torch' 2>/dev/null || { echo "SKIPPED: $python lacks Numba, NumPy or PyTorch"; exit 0; }
cp -r "$ASSAY_SOURCE/examples/tools/." .
printf 'version: 1\npython_interpreter: %s\noperators: {rmsnorm: ops/rmsnorm.py}\n' $python >assay.yaml
for kernel in norm_numba:rmsnorm norm_library:rmsnorm; do
    assay fuzz --kernel $kernel --problem rmsnorm/rows3/hidden17 | grep -oE 'PASS|FAIL|^[0-9]+/.*'
done
