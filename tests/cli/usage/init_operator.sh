# The manifest of an operator that a Python file declares, with its reference as the kernel to begin with.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
mkdir ops && cat >ops/shift.py <<'P'
def inputs(rows=64):
    return {"x": f"fp32[{rows}]"}

def reference(x):
    return x

outputs = {"y": "fp32[rows]"}
P
git init -q .
assay init --operator ops/shift.py --github | grep -v .github
sed 1d assay.yaml
assay list kernels | head -1
grep -c '"shift"' .github/workflows/assay.yml
assay bench ops/shift.py --dry-run 2>&1 | grep named
rm assay.yaml
assay init --operator ops/shift.py --output - | sed -n 's/^kernels/kernels/p'
for file in ops/none.py ../shift.py shift; do assay init --operator $file 2>&1; done
sed -i s/inputs/input/ ops/shift.py && assay init --operator ops/shift.py 2>&1
[ -e assay.yaml ] || echo "no assay.yaml"
