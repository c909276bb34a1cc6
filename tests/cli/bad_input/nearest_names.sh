# What is misspelt is answered with the nearest name there is, or with what is there.
printf 'version: 1\nkernels: {mine: {operator: attention, backend: cpu, source: none.c}}\n' >assay.yaml
try() {
    assay "$@" >/dev/null 2>err
    echo "$* -> $?: $(sed 's/^assay: error: //; s,/.*/assay.yaml,assay.yaml,' err)"
}
try bench --kernel mine --vs torchh
try bench --kernel mien
try fuzz --kernel naive --problem attention/fp32/b1/h1/s4/d4 --family normall
try fuzz --kernel naive --problem attention/fp32/b1/h1/s4/d4 --family dark
try fuzz --kernel naive --dtype fp23
try fuzz --kernel naive --dtype wide
sed -i 's/operator: attention/operator: rmsnorm/' assay.yaml
try list kernels
sed -i 's/operator: rmsnorm/operator: gem/' assay.yaml
try list kernels
