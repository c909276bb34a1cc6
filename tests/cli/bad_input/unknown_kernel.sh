assay fuzz --kernel simmd --manifest "$ASSAY_SOURCE/assay.yaml"
