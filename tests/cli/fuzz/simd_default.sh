# long: minutes of float64 references
assay fuzz --kernel simd --quiet --manifest "$ASSAY_SOURCE/assay.yaml" | grep '^[0-9]*/'
