# Every dtype, all options and the boundary matrix on the processor: the linked-in plain kernel and the vectorised one.
for kernel in gemm_naive gemm_simd; do
    for dtype in fp32 fp16 bf16 fp8_e4m3; do
        assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --kernel $kernel --suite gemm_quick --dtype $dtype --boundary |
            grep -vE '\.\.\. PASS|^results:|^$'
    done
done
# Narrower vector units, and the suite that a gate checks.
for lanes in 8 4; do
    assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_simd --config VECTOR_LANES=$lanes --suite gemm_quick --boundary |
        grep -vE '\.\.\. PASS|^results:|^$'
done
assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_simd --suite gemm_fuzz | grep '^[0-9]*/'
