# A reference that is a plain function of the user's: its results decide, and its scalar has its value in single precision too.
# What is wrong in its signature is an error at line and column.
declare() { # reference_call
    cat >assay.yaml <<Y
version: 1
operators:
  doubled: # no word "double" is changed in names
    axes: {n: 100}
    inputs: {x: "fp32[n]", order: "int32[n] unique(n)", eps: 0.1}
    outputs: {y: "fp32[n]"}
    reference: reference.c
    reference_call: "$1"
kernels:
  mine: {operator: doubled, source: mine.c, call: &call "times(x, order, y, int n, float eps)"}
  wrong: {operator: doubled, source: mine.c, call: *call, flags: ["-DFACTOR=1.00001f"]}
Y
}
cat >reference.c <<'C'
#include <stdint.h>
#include <stdlib.h>
int main(void) { return 1; }
void doubled_reference(const double *x, const int32_t *order, double *y, int n, double eps) {
    if (eps != (double)0.1 && eps != (double)0.3) abort();
    for (int i = 0; i < n; ++i) y[i] = eps * x[order[i]];
}
C
cat >mine.c <<'C'
#ifndef FACTOR
#define FACTOR 1
#endif
int main(void) { return 0; }
void times(const float *x, const int *order, float *y, int n, float eps) {
    for (int i = 0; i < n; ++i) y[i] = eps * x[order[i]] * FACTOR;
}
C
for call in "doubled_reference(x, order, y, int n, double eps)" "void doubled_reference(fp64 x, order, y, int n, double eps)"; do
    declare "$call"
    for problem in n33 n33/eps0.3; do
        for kernel in mine wrong; do
            assay fuzz --kernel "$kernel" --problem "doubled/$problem" >/dev/null
            echo "$kernel $problem: $?"
        done
    done
done
try() { # reference_call
    declare "$1"
    assay fuzz --kernel mine >/dev/null 2>err; code=$?
    echo "$1"
    echo "  $code: $(sed 's/^assay: error: //; s,/.*/assay.yaml,assay.yaml,; s/gcc [0-9.]*\|clang [0-9.]*/the compiler/; 2,$d; s,/[^ ]*/modules/[^ ]*/,,' err)"
}
try "doubled_reference(x, ordre, y, int n, double eps)"
try "doubled_reference(x, order, int n, double eps)"
try "doubled_reference(x, order, y, n, double eps)"
try "doubled_reference(fp32 x, order, y, int n, double eps)"
try "doubled_reference(x, order, y, int n, int eps)"
try "doubled_reference(x, order, y, int n, stream)"
try "another(x, order, y, int n, double eps)"
sed -i 's/eps != /sizeof eps == 4 || &/' reference.c # it is called in single precision
try "doubled_reference(x, order, y, int n, double eps)"
