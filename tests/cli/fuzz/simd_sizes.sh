# long: large problems on the path of fuzz/boundary
# Three sizes of the default matrix, every element. All 27 take minutes of float64 references: fuzz/simd_default.
for size in b16/h4/s448 b16/h8/s512 b16/h4/s640; do
    assay fuzz --kernel simd --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs --problem attention/fp16/$size/d64
done
