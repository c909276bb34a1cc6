# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a declared operator in the current folder, y = 2 x in fp32, with a reference and a kernel of which parts are
# given. Kernels see x, y and n.
declare_twice() { # $1: more keys of the manifest
    cat >assay.yaml <<Y
version: 1
operators: {twice: {axes: {n: 1000}, inputs: {x: "fp32[n]"}, outputs: {y: "fp32[n]"}, reference: reference.c}}
kernels: {mine: {operator: twice, source: mine.c, call: "twice(x, y, int n)"}}
${1-}
Y
    reference ''
    kernel 'for (int i = 0; i < n; ++i) y[i] = 2 * x[i];'
}
reference() { # $1: statements after the results are written; $2: before the function; $3: the operator it is for
    cat >reference.c <<C
#include <assay/kernel.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
${2-}
static int launch(ASSAY_LAUNCH_ARGS) {
    const int64_t n = assay_problem_get(state, "n");
    const double *x = assay_tensor_named(tensors, "x")->data;
    double *y = assay_tensor_named(tensors, "y")->data;
    for (int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
    $1
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "reference", .op = "${3-twice}", .backend = "cpu", .launch = launch)
C
}
kernel() { # $1: statements; $2: before the function
    cat >mine.c <<C
#include <stdint.h>
#include <string.h>
${2-}
void twice(const float *x, float *y, int n) {
    $1
}
C
}
