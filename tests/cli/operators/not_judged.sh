# long: unit/test_audit_case, unit/test_verdict_audit and operators/audit take its branches
# A kernel that passes all problems, and so does a known wrong result: which input or tolerance is at fault.
operator() { # tensors behind x; scalars; more of the kernel
    cat >assay.yaml <<Y
version: 1
operators:
  paged:
    axes: {n: 64}
    inputs: {x: "fp32[n]", page_len: "$1"${2:+, $2}}
    outputs: {y: "fp32[n]"}
    reference: paged.c
kernels: {mine: {operator: paged, source: mine.c, call: "paged(x, page_len, y, int n)"${3:+, $3}}}
Y
}
cat >mine.c <<'C'
void paged(const float *x, const int *page_len, float *y, int n) {
    for (int i = 0; i < n; ++i) y[i] = page_len[0] > 3 ? x[i] : -x[i];
}
C
cat >paged.c <<'C'
#include <assay/kernel.h>
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t n = assay_problem_get(state, "n");
    const double *x = assay_tensor_named(tensors, "x")->data;
    const int32_t *page_len = assay_tensor_named(tensors, "page_len")->data;
    double *y = assay_tensor_named(tensors, "y")->data;
    for (int64_t i = 0; i < n; ++i) y[i] = page_len[0] > 3 ? x[i] : -x[i];
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "paged_reference", .op = "paged", .backend = "cpu", .launch = launch)
C
fuzz() {
    assay fuzz --kernel mine "$@" >out 2>err
    echo "exit $?, $(grep -c PASS out) passed"
    sed -n '/^not judged/,$p' out | grep -v results:
    grep 'not judged' err
}
echo "== lengths that are never short"
operator 'int32[n] constant(4)'
fuzz
fuzz --quiet | sed 's/, .*//'
fuzz --problem paged/default
echo "== in a gate, whatever it checks; unit/test_verdict_gate_rule has those that are slower"
rm -rf runs
printf 'suites: {few: {problems: {a: paged/n64}}}\n' >>assay.yaml
assay gate --candidate mine --baseline mine --measure-same --check few --rounds 5 --iters 5 --sample-time 0.1ms >out 2>err
echo "exit $?"
sed -n 's/\(not judged, .*check\): .* (exit/\1: (exit/p' out
grep '^- not judged' runs/*/report.md; grep 'not judged' err
python3 -c 'import glob, json; print(json.load(open(glob.glob("runs/*/result.json")[0]))["decision"]["not_judged"])'
echo "== that may be ignored"
operator 'int32[n] constant(4) ignored'
fuzz
echo "== that are short sometimes"
operator 'int32[n] below(8)'
fuzz
echo "== a scalar that nobody reads"
operator 'int32[n] below(8)' 'scale: 2'
fuzz
echo "== a tolerance that lets zeros pass"
operator 'int32[n] below(8)' '' 'tolerance: {atol: 1000, two_x: off, why: "nobody looks"}'
fuzz | grep -E '^exit|zeros'
echo "== a word that is none"
operator 'int32[n] ignore'
assay list operators 2>&1 | grep -o 'there is no .*'
