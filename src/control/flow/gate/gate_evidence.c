// SPDX-License-Identifier: Apache-2.0
//
// Rounds of earlier gates on this device, from the project's store.
#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/flow/gate/gate_internal.h"
#include "control/flow/gate/gate_run.h"
#include "control/flow/history_keep.h"
#include "verdict/round_medians.h"

// Together with these the test finds a correlation of 0.6 nearly always.
enum { EVIDENCE_ROUNDS = 200, EVIDENCE_RUNS_LOOKED_AT = 200 };

struct evidence {
    struct arena *arena;
    struct serial_series *series;
    size_t count, capacity, round_count; // rounds of the longest problem of each gate
    uint32_t gate_count;
};

static void add_case(struct evidence *evidence, const struct result *result, size_t case_index, uint32_t base,
                     uint32_t cand, size_t *longest) {
    const struct result_case *item = &result->cases[case_index];
    struct round_medians medians;
    if (round_medians_get(item, base, cand, &medians) < 0) return; // times that are none: no evidence
    if (medians.round_count >= SERIAL_SESSION_LEAST) {
        MEM_GROW(evidence->series, evidence->capacity, evidence->count + 1);
        struct serial_series *series = &evidence->series[evidence->count++];
        *series = round_medians_series(&medians, evidence->arena);
        series->session = evidence->gate_count + 1;
        if (medians.round_count > *longest) *longest = medians.round_count;
    }
    round_medians_fini(&medians);
}

static void add_gate(struct evidence *evidence, const struct result *result) {
    uint32_t base = UINT32_MAX, cand = UINT32_MAX;
    size_t longest = 0;
    for (uint32_t side = 0; side < result->side_count; ++side) {
        if (result->sides[side].role == SIDE_BASELINE) base = side;
        if (result->sides[side].role == SIDE_CANDIDATE) cand = side;
    }
    if (base == UINT32_MAX || cand == UINT32_MAX) return; // against a file
    for (size_t i = 0; i < result->case_count; ++i) add_case(evidence, result, i, base, cand, &longest);
    evidence->round_count += longest;
    evidence->gate_count += longest > 0;
}

static int read_gate(struct evidence *evidence, struct store *store, const char *run_id, struct err *err) {
    struct strbuf text = {0};
    struct result result;
    int code = store_document(store, run_id, &text, err);
    if (code == 0) code = result_read_text(strbuf_text(&text), text.length, run_id, &result, err);
    strbuf_fini(&text);
    if (code < 0) return code;
    add_gate(evidence, &result);
    result_fini(&result);
    return 0;
}

// A document that cannot be read leaves the others: the first one's error.
static int read_gates(struct evidence *evidence, struct store *store, const struct result *now,
                      struct err *err) {
    const struct environment *environment = &now->environment;
    const struct store_filter filter = {.device = str_or(environment->device_uuid, environment->device_name),
                                        .metric = str_or(environment->metric, metric_name(METRIC_TIME)),
                                        .limit = EVIDENCE_RUNS_LOOKED_AT};
    struct stored_run *runs = NULL;
    size_t count = 0;
    if (!filter.device) return 0;
    TRY(store_list_runs(store, &filter, evidence->arena, &runs, &count, err));
    int code = 0;
    for (size_t i = count; i-- > 0 && evidence->round_count < EVIDENCE_ROUNDS;) {
        struct err own = {0};
        if (!runs[i].verdict || str_equal(runs[i].run_id, now->run_id))
            continue; // others than gates have none
        const int one = read_gate(evidence, store, runs[i].run_id, code < 0 ? &own : err);
        if (code == 0) code = one;
    }
    return code;
}

struct rounds_evidence gate_evidence(struct gate *gate, const char **ret_warning) {
    struct arena *arena = &gate->run.result.arena;
    const char *path = history_kept_at(&gate->session);
    struct evidence evidence = {.arena = arena};
    struct store *store = NULL;
    struct err err = {0};
    *ret_warning = NULL;
    if (!path) return (struct rounds_evidence){.count = 0};
    int code = store_open(path, false, &store, &err);
    if (code == 0) code = read_gates(&evidence, store, &gate->run.result, &err);
    store_close(store);
    if (code < 0 && err.code != ERR_NO_INPUT) // no store yet: no earlier gate
        *ret_warning = arena_format(arena, "the rounds of earlier gates cannot be read: %s", err.text);
    struct serial_series *series = arena_array(arena, evidence.count + 1, sizeof *series);
    for (size_t i = 0; i < evidence.count; ++i) series[i] = evidence.series[i];
    free(evidence.series);
    return (struct rounds_evidence){.series = series, .count = evidence.count};
}
