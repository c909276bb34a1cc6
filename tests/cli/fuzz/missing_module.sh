assay fuzz --module gone.so --suite quick
