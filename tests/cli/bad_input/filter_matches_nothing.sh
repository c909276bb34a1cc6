assay bench --kernel tiled --only s77 --manifest "$ASSAY_SOURCE/assay.yaml"
