# Fields that a function in Python must name: it is not asked for the others, and is checked with those that it names.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
cat >simple.py <<'P'
def forward(problem, inputs, outputs, stream):
    outputs.out.memory()[:] = bytes(outputs.out.nbytes)
P
printf 'version: 1\nkernels:\n  simple: {operator: attention, backend: cpu, python: "simple:forward"}\n' >assay.yaml
assay fuzz --kernel simple --suite fields >out
echo "exit $?"
grep -oE 'UNSUPPORTED \(.*|^[0-9]+/27 .*' out | sort | uniq -c | sed 's/^ *//'
sed -i '$a forward.features = "softcap window head_dim_v mask bias out_dtype qkv_packed"' simple.py
assay fuzz --kernel simple --suite fields | grep -o '[0-9]*/27 simple: .*'
