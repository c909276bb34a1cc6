# campaign: minutes of float64 references; fuzz/boundary takes the path
assay fuzz --kernel simd --quiet --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs | grep '^[0-9]*/'
