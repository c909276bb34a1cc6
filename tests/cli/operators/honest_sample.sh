# A sample of operators/honest_variants: right ways to compute operators of examples/operators pass.
. "$ASSAY_SOURCE/tests/cli/operators/_examples.sh"
variant=0
while read -r problem; do
    kernel=${problem%%/*}_v$((variant++ % 5 + 1))
    assay fuzz --kernel "$kernel" --problem "$problem" >out 2>&1 || { echo "$kernel: exit $?"; cat out; }
done <<'E'
gemm_gelu/m33/n20/k256
rmsnorm/rows50/hidden700
paged_decode/batch2/kv_heads2/dim64/context300
quantize/rows40/columns500
E
