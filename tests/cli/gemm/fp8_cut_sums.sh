# Tolerance and 2 x rule of fp8 products take sums of 13 bits, as tensor cores add them, in every type of C; small integers have to be exact.
cp "$ASSAY_SOURCE/tests/cli/gemm/_cut_sums.c" cut_sums.c
{
    printf 'version: 1\nkernels: {cut_sums: {operator: gemm, backend: cpu, source: cut_sums.c, flags: ["-I%s/kernels"]}}\n' "$ASSAY_SOURCE"
    printf 'suites:\n  sums:\n    problems:\n'
    for k in 2 32 64 128 512 4097; do
        for out in fp32 fp16 bf16; do
            [ $out = bf16 ] && field= || field=/out_$out
            echo "      k${k}_$out: gemm/fp8_e4m3/m17/n40/k$k/bt$field"
        done
    done
    printf '      exact: {problem: gemm/fp8_e4m3/m17/n40/k512/bt/out_fp32, distribution: exact}\n'
    printf '      cancel: {problem: gemm/fp8_e4m3/m17/n40/k512/bt/out_fp32, distribution: cancel}\n'
} >assay.yaml
assay fuzz --kernel cut_sums --suite sums | grep -vE '\.\.\. PASS|^results:|^$'
