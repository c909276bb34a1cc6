# slow
report_of fuzz --kernel simd --suite quick --boundary --repeat 3 --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs
