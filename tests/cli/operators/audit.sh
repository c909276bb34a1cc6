# slow: audit/*, unit/test_audit_case and unit/test_declared_mutants take its branches
# Known wrong results of a declared operator; its reference ignores each input: one that nothing depends on is named.
operator() { # the weight; more lines of the manifest
    cat >assay.yaml <<Y
version: 1
operators:
  weighted:
    axes: {n: 100}
    inputs: {x: "fp32[n]", weight: "$1", order: "int32[n] unique(n)", scale: 1.0, unused: 0}
    outputs: {y: "fp32[n]", first: "fp32[]"}
    reference: weighted.c
$2
Y
}
reference() { # the factor of the results
    cat >weighted.c <<C
#include <assay/kernel.h>
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t n = assay_problem_get(state, "n");
    const double *x = assay_tensor_named(tensors, "x")->data, *weight = assay_tensor_named(tensors, "weight")->data;
    const int32_t *order = assay_tensor_named(tensors, "order")->data;
    double *y = assay_tensor_named(tensors, "y")->data, *first = assay_tensor_named(tensors, "first")->data;
    for (int64_t i = 0; i < n; ++i) y[i] = x[order[i]] * weight[i] * $1;
    *first = x[0];
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "weighted_reference", .op = "weighted", .backend = "cpu", .launch = launch)
C
}
audit() { assay fuzz --audit "$@" >text 2>&1; code=$?; sed -n '/^to act on:/,$p' text; echo "exit $code"; }
reference 'assay_problem_get(state, "scale")'
echo "== all but one scalar matters"
operator "fp32[n]"
audit --suite weighted
grep "_ignored" text
echo "== a weight of ones"
operator "fp32[n] ones"
audit --suite weighted_boundary
assay fuzz --audit --suite weighted --json | grep -A4 never_matter
echo "== all matter"
reference '(assay_problem_get(state, "scale") + assay_problem_get(state, "unused"))'
operator "fp32[n]"
audit --suite weighted
echo "== a tolerance that lets zeros pass"
operator "fp32[n]" 'suites: {wide: {problems: {a: weighted/default}, tolerance: {atol: 100, two_x: off, why: "nobody looks"}}}'
audit --suite wide | grep -A4 zeros
echo "== a reference that takes no other scalar"
reference '(assay_problem_get(state, "scale") == 1 ? 1.0 : 1.0 / *(volatile int64_t *)0)'
operator "fp32[n]"
audit --suite weighted
echo "== no reference"
sed -i /reference/d assay.yaml
audit --suite weighted
cat text
