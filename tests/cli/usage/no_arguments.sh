assay
