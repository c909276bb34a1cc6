assay fuzz --kernel tiled --suite quick --manifest "$ASSAY_SOURCE/assay.yaml" --output-dir runs
