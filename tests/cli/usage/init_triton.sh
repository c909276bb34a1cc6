# A start for a Triton kernel. What needs no GPU is tried: the files are Python.
assay init --triton
find . -type f | sort && python3 -m py_compile rmsnorm_triton.py ops/rmsnorm.py && sed 1,2d assay.yaml
for also in "" --github "--operator ops/rmsnorm.py" "--output other.yaml"; do
    # shellcheck disable=SC2086
    assay init --triton $also 2>&1
    echo "exit $?"
done
