# slow: the whole matrix
assay fuzz --kernel simd --manifest "$ASSAY_SOURCE/assay.yaml"
