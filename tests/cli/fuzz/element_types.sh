# slow: operators/fuzz and unit/test_op_dtype take its branches
# Every element type of kernel ABI 4, read and written by declared operators: right kernels pass, and each planted bug is
# found in its tensor. A byte that happens to be the poison is no unwritten result of a reference.
cp "$ASSAY_SOURCE"/tests/cli/fuzz/_types/* .
while read -r name problem; do
    assay fuzz --kernel "$name" --problem "$problem" --seed 42 >out
    echo "$name: exit $?"
    sed -n "s/^  *\([a-z_]*: .*'.*\)/\1/p" out | head -1
done <<'P'
mxfp4 mxfp4/bytes40
mxfp4_swapped mxfp4/bytes40
mxfp4_scale mxfp4/bytes40
mxfp4_step mxfp4/bytes40
select select/n100
select_true select/n100
select_low select/n100
P
assay fuzz --kernel mxfp4 --problem mxfp4 --distribution zeros >out; echo "mxfp4, scales of 2^-127: exit $?"
