assay build --kernel tiled --config "BLOCK_Q=64" --manifest "$ASSAY_SOURCE/assay.yaml"
