# slow
# Every dtype, all options and the boundary matrix on the processor: the linked-in plain kernel. Four problems of the vectorised one,
# which gemm/cpu_simd checks as well.
. "$ASSAY_SOURCE/tests/cli/_sums.sh"
for dtype in fp32 fp16 bf16 fp8_e4m3; do
    assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs --kernel gemm_naive --suite gemm_quick --dtype $dtype --boundary | sums
done
assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs --kernel gemm_simd --suite gemm_quick | grep '^[0-9]*/'
