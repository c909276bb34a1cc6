assay list suites --manifest "$ASSAY_SOURCE/assay.yaml" && assay list problems --suite ci --only s512,mission --manifest "$ASSAY_SOURCE/assay.yaml"
