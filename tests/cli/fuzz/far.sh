# Rows more than 2^31 elements apart: kernels with offsets of 64 bits are right, one with 32 bits is found, by the boundary matrix too. Tensors
# of 4 to 9 GB take no memory.
cp -r "$ASSAY_SOURCE/tests/field" .
printf 'version: 1\nkernels:\n' >assay.yaml
for name in right gemm_right gemm_int_offset; do
    op=gemm
    [ $name = right ] && op=attention
    printf '  %s: {operator: %s, backend: cpu, source: field/%s.c}\n' $name $op $name >>assay.yaml
done
try() {
    echo "$*"
    assay fuzz "$@" --memory-layout far >out
    echo "exit $?"
    grep -oE 'out_of_bounds: the kernel (read|wrote) memory|needs a kernel in a process of its own|at most 4096 rows|repeat: .*' out | uniq
}
try --kernel right --problem attention/fp32/b2/h2/s65/d64
try --kernel right --problem attention/fp32/b2/h4/hkv2/sq3/sk65/d40/bshd/lse
try --kernel gemm_right --problem gemm/fp32/m65/n33/k70/acc
try --kernel gemm_right --problem gemm/fp32/m1/n33/k70/bt
try --kernel assay:simd --problem attention/fp32/b2/h2/s65/d64
try --kernel gemm_int_offset --problem gemm/fp32/m65/n33/k70
try --kernel gemm_int_offset --problem gemm/fp32/m65/n33/k70 --isolation none
try --kernel gemm_right --problem gemm/fp32/m4097/n1/k1
assay fuzz --kernel gemm_int_offset --suite gemm_boundary --dtype fp32 --seed 42 --failures-only >out
echo "exit $? in the boundary matrix"
grep -E 'far.*FAIL|smallest|repeat' out | sed 's|^\[[0-9/]*\] ||; s/^smallest.*:/smallest:/'
