assay gaet
