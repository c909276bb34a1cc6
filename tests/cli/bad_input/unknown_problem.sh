assay bench --kernel tiled --problem attention/fp99/b1/h1/s64/d64 --manifest "$ASSAY_SOURCE/assay.yaml"
