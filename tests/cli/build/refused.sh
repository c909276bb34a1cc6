printf 'version: 1\nkernels: {bad: {operator: attention, backend: cpu, source: bad.c}}\n' >assay.yaml
echo 'int f(void) { return missing; }' >bad.c; assay build --kernel bad
