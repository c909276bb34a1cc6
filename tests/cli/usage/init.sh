assay init && assay list && assay init
