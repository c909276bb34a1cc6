echo hello >x.so; assay fuzz --module x.so --suite quick
