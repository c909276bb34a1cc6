// SPDX-License-Identifier: Apache-2.0
//
// Buffers for the tests of op/: a problem's tensors in memory, filled, and its oracle's results, on two plain
// threads.
#ifndef OP_BUFFERS_H
#define OP_BUFFERS_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "op/operator.h"

struct op_buffers {
    struct problem problem;
    struct problem_abi abi;
    void *memory[OP_TENSORS_MAX];
    double *results[OP_TENSORS_MAX]; // of the oracle, by output
    uint32_t output_count;
};

struct parallel_job {
    _Atomic int64_t next;
    int64_t count;
    void (*body)(void *arg, int64_t index, uint32_t thread);
    void *arg;
};

static inline void *parallel_second(void *arg) {
    struct parallel_job *job = arg;
    for (int64_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) job->body(job->arg, i, 1);
    return NULL;
}

static inline void parallel_two(const struct assay_cpu_stream *stream, int64_t count,
                                void (*body)(void *arg, int64_t index, uint32_t thread), void *arg) {
    struct parallel_job job = {.count = count, .body = body, .arg = arg};
    pthread_t second;
    const int has_second =
        stream->thread_count > 1 && pthread_create(&second, NULL, parallel_second, &job) == 0;
    for (int64_t i; (i = atomic_fetch_add(&job.next, 1)) < count;) body(arg, i, 0);
    if (has_second) pthread_join(second, NULL);
}

static inline struct problem parsed(const char *name) {
    struct problem problem;
    struct err err = {0};
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    return problem;
}

// Memory outside of the elements holds 0xa5.
static inline void op_buffers_init(struct op_buffers *b, const char *name, enum memory_layout memory_layout) {
    memset(b, 0, sizeof *b);
    b->problem = parsed(name);
    problem_describe(&b->problem, memory_layout_behind(memory_layout), &b->abi);
    for (uint32_t i = 0; i < b->abi.tensor_count; ++i) {
        struct assay_tensor *t = &b->abi.tensors[i];
        if (t->access != ASSAY_IN)
            b->results[b->output_count++] = malloc(tensor_element_count(t) * sizeof(double));
        if (t->access == ASSAY_OUT) continue;
        const size_t shift = memory_layout == MEMORY_LAYOUT_OFFSET ? 16 : 0;
        const size_t bytes = (tensor_span_bytes(t) + shift + 255) / 256 * 256;
        b->memory[i] = aligned_alloc(256, bytes);
        memset(b->memory[i], 0xa5, bytes);
        t->data = (char *)b->memory[i] + shift;
    }
}

// Fills every input tensor; an error when the operator does not have the distribution.
static inline int problem_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                               const struct assay_tensor *tensors, uint32_t tensor_count, struct err *err) {
    TRY(problem_check_distribution(problem, distribution, err));
    for (uint32_t i = 0; i < tensor_count; ++i)
        if (tensors[i].access != ASSAY_OUT)
            TRY(problem->op->fill(problem, distribution, seed, i, &tensors[i], err));
    return 0;
}

static inline void op_buffers_fill(struct op_buffers *b, const char *distribution, uint64_t seed) {
    struct err err = {0};
    if (problem_fill(&b->problem, distribution, seed, b->abi.tensors, b->abi.tensor_count, &err) < 0)
        fail_msg("%s", err.text);
}

static inline void op_buffers_oracle(struct op_buffers *b, uint32_t thread_count) {
    struct err err = {0};
    const struct assay_cpu_stream stream = {sizeof stream, thread_count, parallel_two};
    if (b->problem.op->oracle(&b->problem, b->abi.tensors, b->results, &stream, &err) < 0)
        fail_msg("%s", err.text);
}

// Every `step`th row of each group alone has the bits of the whole results, and no other place is written.
static inline void op_buffers_check_rows(const struct op_buffers *b, uint64_t step) {
    uint64_t groups, rows, wanted[1024];
    struct err err = {0};
    b->problem.op->slice_counts(&b->problem, &groups, &rows);
    for (uint32_t k = 0; k < b->output_count; ++k) {
        const uint64_t count =
            tensor_element_count(&b->abi.tensors[b->abi.tensor_count - b->output_count + k]);
        double *outputs[OP_TENSORS_MAX], *expected = malloc(count * sizeof *expected);
        for (uint32_t i = 0; i < b->output_count; ++i) outputs[i] = malloc(1 << 20);
        assert_true(count * sizeof **outputs <= 1 << 20);
        memset(outputs[k], 0x5a, count * sizeof **outputs);
        memcpy(expected, outputs[k], count * sizeof *expected);
        const uint64_t per_row = count / (groups * rows);
        for (uint64_t g = 0; g < groups; ++g) {
            struct op_rows some = {.group = g, .rows = wanted};
            for (uint64_t row = g % step; row < rows; row += step) {
                wanted[some.count++] = row;
                const uint64_t at = (g * rows + row) * per_row;
                memcpy(expected + at, b->results[k] + at, per_row * sizeof *expected);
            }
            if (b->problem.op->oracle_rows(&b->problem, b->abi.tensors, &some, outputs, &err) < 0)
                fail_msg("%s", err.text);
        }
        if (memcmp(outputs[k], expected, count * sizeof *expected) != 0)
            fail_msg("%s: rows alone have other results", b->problem.name);
        for (uint32_t i = 0; i < b->output_count; ++i) free(outputs[i]);
        free(expected);
    }
}

static inline void op_buffers_fini(struct op_buffers *b) {
    for (uint32_t i = 0; i < OP_TENSORS_MAX; ++i) {
        free(b->memory[i]);
        free(b->results[i]);
    }
}

#endif
