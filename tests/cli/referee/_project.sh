# SPDX-License-Identifier: Apache-2.0
# Sourced by tests of the referee: an operator y = 2 x, its kernel, and a function that writes a candidate and asks.
complain() { echo "FAILED: $*"; exit_code=1; }
exit_code=0
cat >assay.yaml <<'Y'
version: 1
operators: {twice: {axes: {n: 1000}, inputs: {x: "fp32[n]"}, outputs: {y: "fp32[n]"}, reference: reference.c,
            reference_call: "twice_reference(x, y, int n)"}}
kernels: {mine: {operator: twice, source: mine.c, call: "twice(x, y, int n)"}}
limits: {case_s: 1, memory_gb: 1}
Y
echo 'void twice_reference(const double *x, double *y, int n) { for (int i = 0; i < n; ++i) y[i] = 2 * x[i]; }' >reference.c
candidate() { # NAME STATEMENTS
    mkdir -p candidates
    printf '#include <stdlib.h>\n#include <unistd.h>\nvoid twice(const float *x, float *y, int n) {\n%s\n}\n' "$2" >"candidates/$1"
}
candidate right.c 'for (int i = 0; i < n; ++i) y[i] = 2 * x[i];'
cp candidates/right.c mine.c
# What a document says: member VERDICT ...
member() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(d.get(sys.argv[2], ""))' "$@"; }
