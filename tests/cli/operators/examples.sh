# long: operators/fuzz and operators/reference_call take its branches
# The operators of examples/operators: their kernels pass on the smallest problems that show the bugs of the others.
cp -r "$ASSAY_SOURCE/examples/operators/." .
while read -r operator fields inputs; do
    # shellcheck disable=SC2086
    assay fuzz --kernel "$operator" --problem "$operator/$fields" $inputs >out 2>&1
    echo "$operator $? $(grep -c PASS out)"
    # shellcheck disable=SC2086
    assay fuzz --kernel "${operator}_bug" --problem "$operator/$fields" $inputs >out 2>&1
    echo "${operator}_bug $? $(sed -n 's,^        \([a-z_]*\): .*,\1,p' out | grep -v repeat)"
done <<'E'
rmsnorm rows1/hidden1 --distribution small
gemm_gelu m1/n1/k1
rope tokens1/heads1/dim4/rotary2/context1
softmax rows1/columns65536
paged_decode batch1/kv_heads1/group1/dim1/context3/page1
topk rows1/columns2/k2
quantize rows1/columns1
moe tokens1/choices1/experts3/hidden1/width1
E
