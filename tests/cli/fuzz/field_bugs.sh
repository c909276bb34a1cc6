# long: a grid of 65537 blocks is bisected; unit/test_shrink has the same failures without kernels
# Bugs of public reports, found on a larger problem: each is shrunk to the smallest that shows it, and the printed command fails there.
cp -r "$ASSAY_SOURCE/tests/field" .
printf 'version: 1\nkernels:\n' >assay.yaml
for kernel in field/*.c; do
    printf '  %s: {operator: attention, backend: cpu, source: %s}\n' "$(basename "$kernel" .c)" "$kernel" >>assay.yaml
done
while read -r name problem; do
    assay fuzz --kernel "$name" --problem "attention/fp32/$problem" >out
    echo "$name: exit $?, $(sed -n 's/^smallest problem that fails in the same way: //p' out)"
    eval "$(sed -n 's/^ *repeat: //p' out | tail -1)" >again
    [ $? = 1 ] || echo "the printed command does not fail"
done <<'P'
bias_scaled b2/h2/s65/d32/bias_h
window_one_more b1/h2/sq191/sk65/d32/causal/window32/lse
head_dim_tail b1/h2/s65/d100
key_tail_8 b1/h2/s77/d64
split_2048 b1/h1/sq3/sk2304/d32
group_above_4 b2/h24/hkv4/s33/d32
grid_65535 b70000/h1/s1/d1
P
