# slow with sanitizers
# Fields that a kernel must name: naive computes them, kernels that do not name them are never asked, one that
# ignores them is caught, or refused where its types do not go with them. What else knows some of them computes those.
cat >assay.yaml <<Y
version: 1
kernels:
  old:     {operator: attention, backend: cpu, source: old.c}
  ignores: {operator: attention, backend: cpu, source: ignores.c}
Y
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" old.c
sed 's/.dtypes = ASSAY_BIT/.features = "head_dim_v window softcap mask bias out_dtype", &/; /.causal = ASSAY_MASK_NONE/d' old.c >ignores.c
sum_up() { echo "exit $?"; grep -oE '(FAIL|UNSUPPORTED) \(.*|(wrong_value|unwritten|out_of_bounds): |^[0-9]+/27 .*' out | sort | uniq -c | sed 's/^ *//'; }
assay fuzz --kernel naive --suite fields >out; sum_up
for dtype in fp16 bf16 fp8_e4m3; do assay fuzz --kernel naive --suite fields --dtype $dtype | grep '/27 naive'; done
for kernel in tiled simd; do
    assay fuzz --kernel assay:$kernel --suite fields --dtype fp16 | grep -oE 'attention[^ ]* ... (PASS|FAIL)|^[0-9]+/27 .*'
done
assay fuzz --kernel old --suite fields >out; sum_up
for distribution in normal nan inf; do
    for problem in sq33/sk70/d8/causal_br/window9/lse s130/d8/dv24/causal/window65 s65/d8/softcap3/lse \
        s130/d8/causal/mask_h/lse s65/d8/mask/bias_h/lse s65/d8/qkv_packed; do
        assay fuzz --kernel naive --problem attention/fp32/b1/h4/$problem --distribution $distribution --memory-layout padded | grep '/1 naive'
    done
done
for problem in s33/d16/softcap1 s33/d16/dv24 s33/d16/dv8 s33/d16/mask s33/d16/bias s33/d16/out_bf16; do
    assay fuzz --kernel ignores --problem attention/fp32/b1/h2/$problem >out; echo "exit $?"; grep -oE '(wrong_value|unwritten|out_of_bounds): ' out | head -1
done
