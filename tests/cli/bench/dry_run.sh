assay bench --kernel tiled --suite cpu --dry-run --manifest "$ASSAY_SOURCE/assay.yaml" && [ ! -e runs ]
