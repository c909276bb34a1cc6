# slow with sanitizers: gate/wrong_candidate and gate/time_limit_checks take its branches
# Two builds that differ in the value of one symbol, by which the wrong one of two kernels is offered: not the same machine code.
export XDG_CACHE_HOME=$PWD/.cache
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
cp "$ASSAY_SOURCE"/tests/broken/{broken.h,other_symbol.c} csrc/
printf '#define OFFERS_RIGHT\n#include "other_symbol.c"\n' >csrc/mine.c
git add -A && git commit -qm "two kernels"
sed -i '1c // the other one' csrc/mine.c
assay gate --baseline git:HEAD >out.txt; code=$?
grep -i "same machine code" out.txt && exit 9
cat out.txt
# What they have in common, so that this stays the test that it is: every section of code and constants.
modules=$(echo "$XDG_CACHE_HOME"/assay/modules/*/module.so)
for module in $modules; do # objcopy seeks in what it writes
    objcopy -O binary -j .text -j .rodata -j .data.rel.ro "$module" sections && cksum <sections
done | sort -u | wc -l
exit $code
