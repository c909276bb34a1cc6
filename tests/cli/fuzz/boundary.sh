# slow
assay fuzz --kernel simd --suite quick --boundary --repeat 3 --quiet --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs
