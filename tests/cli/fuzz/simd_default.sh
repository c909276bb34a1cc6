# campaign: minutes of float64 references; fuzz/boundary takes the path
assay fuzz --kernel simd --quiet --manifest "$ASSAY_SOURCE/assay.yaml" | grep '^[0-9]*/'
