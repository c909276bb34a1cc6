// SPDX-License-Identifier: Apache-2.0
//
// Queries the real worker process, `assay worker`: an order (or any text) in; out come all its records, its
// end and the tail of what it printed. Free an answer with answer_fini().
#ifndef TESTS_QUERY_WORKER_H
#define TESTS_QUERY_WORKER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "record/work_order.h"

#define ANSWER_PATIENCE_NS 60000000000u // of the whole answer

struct answer {
    struct arena arena;
    struct record *records;
    size_t count, capacity;
    struct proc_status status;
    char *tail;
};

static inline void query_text_for(const char *text, size_t length, uint64_t patience_ns, struct answer *ret) {
    memset(ret, 0, sizeof *ret);
    const char *const argv[] = {ASSAY_BINARY, "worker", NULL};
    const struct proc_spec spec = {.argv = argv, .stdin_text = text, .stdin_length = length};
    struct proc *proc;
    struct err err;
    if (proc_open(&spec, &proc, &err) < 0) fail_msg("%s", err.text);
    char *line;
    const uint64_t deadline_ns = clock_ns() + patience_ns;
    while (proc_next_line(proc, deadline_ns, &line, &err) == 1) {
        MEM_GROW(ret->records, ret->capacity,
                 ret->count + 1); // a slow machine says more often that it goes on
        if (record_parse(line, strlen(line), &ret->arena, &ret->records[ret->count++], &err) < 0)
            fail_msg("%s: %s", err.text, line);
    }
    proc_close(proc, &ret->status, &ret->tail);
}

static inline void query_text(const char *text, size_t length, struct answer *ret) {
    query_text_for(text, length, ANSWER_PATIENCE_NS, ret);
}

static inline void query_for(const struct work_order *order, uint64_t patience_ns, struct answer *ret) {
    struct strbuf text = {0};
    work_order_write(order, &text);
    query_text_for(text.text, text.length, patience_ns, ret);
    strbuf_fini(&text);
}

static inline void ask(const struct work_order *order, struct answer *ret) {
    query_for(order, ANSWER_PATIENCE_NS, ret);
}

static inline void answer_fini(struct answer *answer) {
    arena_fini(&answer->arena);
    free(answer->records);
    free(answer->tail);
}

// The first record of that kind and side in that case; NULL: there is none.
static inline const struct record *answer_find_case(const struct answer *answer, enum record_kind kind,
                                                    uint32_t side, uint32_t case_index) {
    for (size_t i = 0; i < answer->count; ++i) {
        const struct record *record = &answer->records[i];
        if (record->kind == kind && record->side == side && record->case_index == case_index) return record;
    }
    return NULL;
}

// The first record of that kind and side in any case; NULL: there is none.
static inline const struct record *answer_find(const struct answer *answer, enum record_kind kind,
                                               uint32_t side) {
    for (size_t i = 0; i < answer->count; ++i)
        if (answer->records[i].kind == kind && answer->records[i].side == side) return &answer->records[i];
    return NULL;
}

// A case of an order: dense tensors of the default input distribution, seed 3.
static inline struct work_case order_case(uint32_t index, const char *problem, uint32_t side_mask) {
    struct work_case item = {.index = index,
                             .distribution = OP_DISTRIBUTION_DEFAULT,
                             .memory_layout = MEMORY_LAYOUT_DENSE,
                             .seed = 3,
                             .side_mask = side_mask};
    struct err err;
    if (problem_parse(&operators_compiled, problem, &item.problem, &err) < 0) fail_msg("%s", err.text);
    return item;
}

#endif
