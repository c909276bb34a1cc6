# campaign: minutes of float64 references; fuzz/boundary takes the path
report_of fuzz --kernel simd --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs | grep '^[0-9]*/'
