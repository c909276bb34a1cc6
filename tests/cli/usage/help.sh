assay --help
