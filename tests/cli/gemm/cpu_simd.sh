# long: the vectorised kernel in every dtype; gemm/cpu takes the path
# Every dtype, all options and the boundary matrix on the processor: the vectorised kernel.
. "$ASSAY_SOURCE/tests/cli/_sums.sh"
fuzz() { assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs --kernel gemm_simd "$@"; }
for dtype in fp32 fp16 bf16 fp8_e4m3; do fuzz --suite gemm_quick --dtype $dtype --boundary | sums; done
# Narrower vector units, and the suite that a gate checks.
for lanes in 8 4; do fuzz --config VECTOR_LANES=$lanes --suite gemm_quick --boundary | sums; done
fuzz --suite gemm_fuzz | grep '^[0-9]*/'
