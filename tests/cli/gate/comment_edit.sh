. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i 's|^#include <math.h>|// a remark\n#include <math.h>|' csrc/mine.c
assay gate --baseline git:HEAD
