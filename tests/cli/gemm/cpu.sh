# slow
# Every dtype, all options and the boundary matrix on the processor: the linked-in plain kernel.
for dtype in fp32 fp16 bf16 fp8_e4m3; do
    assay fuzz --manifest "$ASSAY_SOURCE/assay.yaml" --kernel gemm_naive --suite gemm_quick --dtype $dtype --boundary |
        grep -vE '\.\.\. PASS|^results:|^$'
done
