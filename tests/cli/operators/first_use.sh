# What somebody meets in the first hour with a function of one's own.
cat >assay.yaml <<'Y'
version: 1
operators: {twice: {axes: {rows: 9, n: 40}, inputs: {x: "fp32[rows, n]"}, outputs: {y: "fp32[rows, n]"}, reference: reference.c, reference_call: "twice_reference(x, y, int rows, int n)"}}
kernels: {mine: {operator: twice, source: mine.c, call: "twice(x, y, int rows, int n)"}}
Y
echo 'void twice_reference(const double *x, double *y, int rows, int n) { for (int i = 0; i < rows * n; ++i) y[i] = 2 * x[i]; }' >reference.c
kernel() { echo "void twice(const float *x, float *y, int rows, int n) { $1 }" >mine.c; }
git init -q -b main . && git config user.email t@example.org && git config user.name tester
kernel 'for (int i = 0; i < rows * n; ++i) y[i] = 2 * x[i];'
git add mine.c reference.c && git commit -qm "before assay"
echo "== a function that learns no strides is not told that rows with gaps were left out"
assay fuzz --kernel mine >out 2>&1; echo "exit $?"; grep -c 'not checked' out
echo "== a revision without a manifest has the kernel that this one names"
assay bench --kernel mine --vs git:HEAD --iters 5 --sample-time 0.1ms >out 2>&1
grep -oE '^problem .*|has no assay.yaml' out
echo "== no smaller problem is looked for, one past the end, NaN"
kernel 'for (int i = 0; i < rows * n; ++i) y[i] = n == 13 ? -__builtin_nanf("") : 2 * x[i]; if (n == 37) ((int *)y)[rows * n] = 0x01020304;'
assay fuzz --kernel mine --problem twice/n37,twice/n41 --no-shrink 2>&1 | grep -oE 'out_of_bounds.*|smallest.*'
assay fuzz --kernel mine --problem twice/n13,twice/n41 2>&1 | grep -oE 'is -?nan|^smallest problem'
