cat >x.c <<'C'
#include <assay/kernel.h>
static const struct assay_module module = {sizeof module, 99, 0, sizeof(struct assay_kernel), 0};
ASSAY_EXPORT const struct assay_module *assay_module(void) { return &module; }
C
gcc -shared -fPIC -I"$ASSAY_SOURCE/include" x.c -o x.so; assay fuzz --module x.so --suite quick
