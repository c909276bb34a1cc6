# What is misspelt is answered with the nearest name there is, or with what is there.
printf 'version: 1\nkernels: {mine: {operator: attention, backend: cpu, source: none.c}}\n' >assay.yaml
try() {
    assay "$@" >/dev/null 2>err
    echo "$* -> $?: $(sed 's/^assay: error: //; s,/.*/assay.yaml,assay.yaml,' err)"
}
try bench --kernel mine --vs torchh
try bench --kernel mine --vs torch:flahs
try bench --kernel mine --vs nothing:
try bench --kernel mien
try fuzz --kernel naive --problem attention/fp32/b1/h1/s4/d4 --distribution normall
try fuzz --kernel naive --problem attention/fp32/b1/h1/s4/d4 --distribution dark
try fuzz --kernel naive --dtype fp23
try fuzz --kernel naive --dtype wide
try fuzz --kernel naive --dtype int8 # a type, and none of that operator
try fuzz --kernel naive --dtype int8 --suite boundary
try bench --kernel naive --suite quick --distribution gaussian
try bench --kernel naive --suite quick --distribution nan
try gate --kernel naive --baseline assay:simd --suite quick --no-check --distribution normall
mv assay.yaml kept
try bench --kernel naive --vs torchh
mv kept assay.yaml
sed -i 's/operator: attention/operator: rmsnorm/' assay.yaml
try list kernels
sed -i 's/operator: rmsnorm/operator: gem/' assay.yaml
try list kernels
