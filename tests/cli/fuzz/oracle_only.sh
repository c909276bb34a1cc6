assay fuzz --suite quick
