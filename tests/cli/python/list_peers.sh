assay list peers
