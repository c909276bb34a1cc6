assay build --kernel tiled --config "BLOCK_M=63" --manifest "$ASSAY_SOURCE/assay.yaml"
