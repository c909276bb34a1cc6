# long: a grid of 65537 blocks is bisected; unit/test_shrink has the same failures without kernels
# Bugs of public reports. The boundary matrix finds each: a feature, a group, a count are tried here. On a larger problem each is shrunk to
# the smallest that shows it, and the printed command fails there.
cp -r "$ASSAY_SOURCE/tests/field" .
printf 'version: 1\nkernels:\n' >assay.yaml
for file in field/*.c; do
    name=$(basename "$file" .c)
    op=attention
    [ "$name" = "${name#gemm_}" ] || op=gemm
    printf '  %s: {operator: %s, backend: cpu, source: %s}\n' "$name" $op "$file" >>assay.yaml
    suite=boundary
    [ $op = attention ] || suite=gemm_boundary
    case $name in right | gemm_right | mask_batch | group_above_4 | gemm_rows_65535) ;; *) continue ;; esac
    assay fuzz --kernel "$name" --suite $suite --dtype fp32 --seed 42 --json --output boundary.json >/dev/null
    echo "$name: exit $? in the boundary matrix"
done
while read -r name problem; do
    assay fuzz --kernel "$name" --problem "$problem" >out
    echo "$name: exit $?, $(sed -n 's/^smallest problem that fails in the same way: //p' out)"
    eval "$(sed -n 's/^ *repeat: //p' out | tail -1)" >again
    [ $? = 1 ] || echo "the printed command does not fail"
done <<'P'
bias_scaled attention/fp32/b2/h2/s65/d32/bias_h
window_one_more attention/fp32/b1/h2/sq191/sk65/d32/causal/window32/lse
head_dim_tail attention/fp32/b1/h2/s65/d100
key_tail_8 attention/fp32/b1/h2/s77/d64
split_2048 attention/fp32/b1/h1/sq3/sk2304/d32
group_above_4 attention/fp32/b2/h24/hkv4/s33/d32
grid_65535 attention/fp32/b70000/h1/s1/d1
gemm_bias_per_split gemm/fp32/m17/n33/k4100/bias/relu
gemm_k_tail gemm/fp32/m33/n40/k98/bt
P
