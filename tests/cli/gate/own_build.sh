# slow with sanitizers
# A kernel that its own command builds: a remark leaves the machine code as it is, half of the time more is a regression.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: attention, backend: cpu, build: {run: "make -s fa.so", output: fa.so, inputs: ["csrc/**", Makefile]}}
suites:
  pr: {problems: {a: attention/fp32/b1/h2/s64/d64}}
  tiny: {problems: {t: attention/fp32/b1/h2/s33/d16}}
gate: {suite: pr, check: tiny, candidate: mine}
Y
printf 'fa.so: csrc/mine.c\n\tgcc -std=gnu17 -O3 -g -Wl,--build-id -fPIC -shared -fvisibility=hidden -I$(ASSAY_SOURCE)/include csrc/mine.c -o fa.so -lm\n' >Makefile
echo '*.so' >>.gitignore; git add -A; git commit -qm "own build"
sed -i 's|^#include <math.h>|// a remark\n#include <math.h>|' csrc/mine.c
assay gate --baseline git:HEAD || exit 9
sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 2/' csrc/mine.c
assay gate --baseline git:HEAD
