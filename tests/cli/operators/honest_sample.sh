# Of five right ways to compute each operator of examples/operators one passes on a small problem; operators/honest_variants has all.
. "$ASSAY_SOURCE/tests/cli/operators/_examples.sh"
variant=0
while read -r problem; do
    kernel=${problem%%/*}_v$((variant++ % 5 + 1))
    assay fuzz --kernel "$kernel" --problem "$problem" >out 2>&1 || { echo "$kernel: exit $?"; cat out; }
done <<'E'
gemm_gelu/m33/n20/k256
rmsnorm/rows50/hidden700
paged_decode/batch2/kv_heads2/dim64/context300
topk/rows20/columns999
moe/tokens30/hidden100/width40
rope/tokens40/heads3
softmax/rows3/columns20000
quantize/rows40/columns500
E
