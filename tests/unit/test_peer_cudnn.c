// SPDX-License-Identifier: Apache-2.0
//
// The peer "cudnn" with a fake library that records its calls and rejects what the real one would reject: the
// graph that it makes, its description of itself, and UNSUPPORTED with the reason for all other problems.
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "op/operator.h"
#include "worker/module/builtin.h"

#define NODE_ALONE      1  // attention as one node
#define PARTS           10 // two products, scale, softmax of five, its statistics
#define MASK_PARTS      4  // two indices, comparison, selection
#define SHIFT_PARTS     2  // bottom right
#define STATISTIC_PARTS 2  // log, sum

struct prepared {
    int status;
    char text[512];
    size_t workspace_bytes;
    int64_t operations;
};

static const struct assay_kernel *kernel(void) {
    struct err err = {0};
    const struct assay_kernel *ret = builtin_find("cudnn", &err);
    assert_non_null(ret);
    return ret;
}

// Prepares, launches once, releases.
static struct prepared prepare(const char *name) {
    struct prepared ret = {.operations = -1};
    struct assay_message message = {.capacity = sizeof ret.text, .text = ret.text};
    struct problem problem;
    struct problem_abi abi;
    struct err err = {0};
    assert_int_equal(problem_parse(&operators_compiled, name, &problem, &err), 0);
    problem_describe(&problem, MEMORY_LAYOUT_DENSE, &abi);
    ret.status = kernel()->supports(&abi.problem, &message);
    if (ret.status != ASSAY_OK) return ret;
    void *state = NULL;
    struct assay_env env = {.struct_size = sizeof env};
    ret.status = kernel()->prepare(&abi.problem, &env, &state, &ret.workspace_bytes, &message);
    if (ret.status != ASSAY_OK) return ret;
    static char memory[64];
    for (uint32_t i = 0; i < abi.tensor_count; ++i) abi.tensors[i].data = memory + i;
    int64_t (*count)(void) = NULL;
    void *library = dlopen(getenv("ASSAY_CUDNN"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(library);
    *(void **)&count = dlsym(library, "fake_cudnn_operation_count");
    ret.operations = count();
    const struct assay_tensors tensors = {.struct_size = sizeof tensors,
                                          .tensor_count = abi.tensor_count,
                                          .tensor_bytes = sizeof abi.tensors[0],
                                          .items = abi.tensors};
    char said[256] = "";
    struct assay_message launch_message = {.capacity = sizeof said, .text = said};
    assert_int_equal(kernel()->launch(state, &tensors, memory, memory, &launch_message), ASSAY_OK);
    kernel()->release(state);
    return ret;
}

static void test_one_node_where_the_version_has_it(void **state) {
    (void)state;
    setenv("FAKE_CUDNN", "version=91900", 1);
    struct prepared p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_OK);
    assert_string_equal(p.text, "@9.19.0 cuDNN 9.19.0, one attention node, heuristics A, engine 7");
    assert_int_equal(p.workspace_bytes, 4096);
    assert_int_equal(p.operations, NODE_ALONE);
    p = prepare("attention/bf16/b2/h8/hkv2/s512/d64/lse");
    assert_int_equal(p.operations, NODE_ALONE);
}

static void test_parts_where_it_has_not(void **state) {
    (void)state;
    setenv("FAKE_CUDNN", "version=91200", 1);
    assert_int_equal(prepare("attention/fp16/b2/h8/s512/d64").operations, PARTS);
    setenv("FAKE_CUDNN", "version=91900", 1);
    assert_int_equal(prepare("attention/fp16/b2/h8/s512/d64/causal").operations, PARTS + MASK_PARTS);
    assert_int_equal(prepare("attention/fp16/b2/h8/sq64/sk512/d64/causal_br").operations,
                     PARTS + MASK_PARTS + SHIFT_PARTS);
    setenv("FAKE_CUDNN", "version=92100", 1); // statistics have moved
    assert_int_equal(prepare("attention/fp16/b2/h8/s512/d64/lse").operations, PARTS);
}

static void test_next_heuristics(void **state) {
    (void)state;
    setenv("FAKE_CUDNN", "version=91900,refuse=A", 1);
    struct prepared p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_OK);
    assert_non_null(strstr(p.text, "heuristics B"));
}

static void test_refusals(void **state) {
    (void)state;
    setenv("FAKE_CUDNN", "version=91900,refuse_graph", 1);
    struct prepared p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_string_equal(p.text,
                        "cuDNN 9.19.0 does not take this problem: the graph: CUDNN_STATUS_NOT_SUPPORTED; "
                        "it says: the fake's last words");
    setenv("FAKE_CUDNN", "version=91900", 1);
    p = prepare("attention/fp32/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(p.text, "fp16 and bf16"));
    p = prepare("attention/fp16/b2/h8/sq512/sk64/d64/causal_br");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(p.text, "see no key"));
}

// Runs first: what is loaded stays.
static void test_not_there(void **state) {
    (void)state;
    struct prepared p;
    setenv("FAKE_CUDNN", "version=91900", 1);
    char *real = strdup(getenv("ASSAY_CUDNN"));
    setenv("ASSAY_CUDNN", "/nowhere/libcudnn.so.9", 1);
    p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(p.text, "cuDNN is not there"));
    setenv("ASSAY_CUDNN", real, 1);
    setenv("FAKE_CUDNN", "version=80900", 1);
    p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(p.text, "older than 9.0.0"));
    setenv("FAKE_CUDNN", "version=91900,no_handle", 1);
    p = prepare("attention/fp16/b2/h8/s512/d64");
    assert_int_equal(p.status, ASSAY_UNSUPPORTED);
    assert_non_null(strstr(p.text, "makes no handle"));
    char version[MODULE_VERSION_BYTES];
    struct err err = {0};
    setenv("FAKE_CUDNN", "version=91400", 1);
    assert_int_equal(builtin_find_library("cudnn", version, &err), 0);
    assert_string_equal(version, "9.14.0");
    assert_int_equal(builtin_find_library("naive", version, &err), 0);
    assert_string_equal(version, "");
    free(real);
}

int main(void) {
    setenv("ASSAY_CUDNN", ASSAY_FAKES_DIR "/libfake_cudnn.so", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_one_node_where_the_version_has_it),
        cmocka_unit_test(test_parts_where_it_has_not),
        cmocka_unit_test(test_next_heuristics),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
