// SPDX-License-Identifier: Apache-2.0
//
// The audit order: every case with every wrong result that its operator knows, an AUDIT record for each
// output. One that passes is tried with the operator's other input distributions too, so that the record
// can name one that would have detected it.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "op/declared/declared.h"
#include "worker/check/audit_case.h"
#include "worker/order/work_internal.h"

// Results of one case until they are written.
struct case_results {
    struct work *work;
    const struct work_case *wanted;
    struct audit_result *items;
    size_t count, capacity;
};

static bool passes(const struct audit_result *result) {
    return result->verdict == AUDIT_PASSED || result->verdict == AUDIT_HIDDEN;
}

static struct audit_wanted wanted_of(const struct case_results *results, const char *distribution) {
    return (struct audit_wanted){.device = results->work->device,
                                 .problem = &results->wanted->problem,
                                 .distribution = distribution,
                                 .memory_layout = results->wanted->memory_layout,
                                 .seed = results->wanted->seed,
                                 .tolerance = results->wanted->tolerance,
                                 .order = results->work->order};
}

// A sign of life for control's time limit.
static int say_progress(const struct case_results *results, struct err *err) {
    return work_write_case(results->work, results->wanted->index, RECORD_SIDE_ALL, err);
}

static void add_results(struct case_results *results, const struct audit_result *items, uint32_t count) {
    MEM_GROW(results->items, results->capacity, results->count + count);
    memcpy(results->items + results->count, items, count * sizeof *items);
    results->count += count;
}

static int try_all(struct case_results *results, struct audit_case *audit, struct err *err) {
    const struct operator_def *op = results->wanted->problem.op;
    struct audit_result items[OP_TENSORS_MAX];
    const struct mutant *mutant;
    TRY(audit_case_try_right(audit, items, err));
    for (uint32_t k = 0; k < audit->output_count; ++k)
        if (items[k].verdict == AUDIT_REFUSED) add_results(results, &items[k], 1);
    for (size_t i = 0; (mutant = mutant_at(op, i)); ++i) {
        bool applies;
        TRY(say_progress(results, err));
        TRY(audit_case_try(audit, mutant, items, &applies, err));
        if (applies) add_results(results, items, audit->output_count);
    }
    return 0;
}

// ---- other distributions ----

// Of an ignored input the other problems are asked.
static bool is_open(const struct audit_result *result) {
    return passes(result) && !result->ignored_input && !result->detected_by;
}

static bool has_open(const struct case_results *results, const char *mutant) {
    for (size_t i = 0; i < results->count; ++i)
        if (is_open(&results->items[i]) && (!mutant || strcmp(results->items[i].mutant, mutant) == 0))
            return true;
    return false;
}

static void note_detected(struct case_results *results, const struct audit_result *other,
                          const char *distribution) {
    for (size_t i = 0; i < results->count && other->verdict == AUDIT_DETECTED; ++i) {
        struct audit_result *result = &results->items[i];
        if (is_open(result) && strcmp(result->mutant, other->mutant) == 0 &&
            strcmp(result->output, other->output) == 0)
            result->detected_by = distribution;
    }
}

static int try_open(struct case_results *results, struct audit_case *audit, const char *distribution,
                    struct err *err) {
    struct audit_result items[OP_TENSORS_MAX];
    const struct mutant *mutant;
    for (size_t i = 0; (mutant = mutant_at(results->wanted->problem.op, i)); ++i) {
        bool applies;
        if (!has_open(results, mutant->name)) continue;
        TRY(say_progress(results, err));
        TRY(audit_case_try(audit, mutant, items, &applies, err));
        for (uint32_t k = 0; k < audit->output_count && applies; ++k)
            note_detected(results, &items[k], distribution);
    }
    return 0;
}

static int find_distributions(struct case_results *results, struct audit_case *audit, struct err *err) {
    const struct problem *problem = &results->wanted->problem;
    const char *const *names = problem->op->distributions;
    for (size_t i = 0; names && names[i] && has_open(results, NULL); ++i) {
        if (strcmp(names[i], results->wanted->distribution) == 0) continue;
        if (problem->op->distribution_applies && !problem->op->distribution_applies(problem, names[i]))
            continue;
        const struct audit_wanted wanted = wanted_of(results, names[i]);
        TRY(say_progress(results, err));
        int code = audit_case_open(audit, &wanted, err);
        if (code == 0) code = try_open(results, audit, names[i], err);
        audit_case_close(audit);
        TRY(code);
    }
    return 0;
}

// ---- the order ----

static int write_results(const struct case_results *results, struct err *err) {
    struct record *record = mem_alloc(sizeof *record);
    int code = 0;
    for (size_t i = 0; i < results->count && code == 0; ++i) {
        *record = work_record(results->work, RECORD_AUDIT);
        record->case_index = results->wanted->index;
        record->audit = results->items[i];
        code = work_write(results->work, record, err);
    }
    free(record);
    return code;
}

static int audit_one(struct work *work, const struct work_case *item, struct err *err) {
    struct case_results results = {.work = work, .wanted = item};
    struct audit_case *audit = mem_alloc(sizeof *audit);
    const struct audit_wanted wanted = wanted_of(&results, item->distribution);
    int code = say_progress(&results, err);
    if (code == 0) code = audit_case_open(audit, &wanted, err);
    // Of a declared operator there may be no such problem: it has no results, then.
    const bool is_there = code != -ERR_USAGE || !declared_of(item->problem.op);
    if (code == 0) code = try_all(&results, audit, err);
    audit_case_close(audit);
    if (code == 0) code = find_distributions(&results, audit, err);
    if (code == 0) code = write_results(&results, err);
    if (!is_there) code = 0;
    free(results.items);
    free(audit);
    return code;
}

int work_audit(struct work *work, struct err *err) {
    for (size_t i = 0; i < work->order->case_count; ++i) TRY(audit_one(work, &work->order->cases[i], err));
    return 0;
}
