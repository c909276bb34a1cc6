assay bench --kernel tiled --suite cpuu --manifest "$ASSAY_SOURCE/assay.yaml"
