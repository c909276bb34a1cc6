echo 'int nothing(void) { return 0; }' >x.c; gcc -shared -fPIC x.c -o x.so; assay fuzz --module x.so --suite quick
