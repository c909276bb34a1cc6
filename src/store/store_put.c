// SPDX-License-Identifier: Apache-2.0
//
// Writes a run and its results, in one transaction.
#include <math.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "record/metric.h"
#include "store/store_internal.h"
#include "store/store_pack.h"

// ---- results ----

// Cases of a decision are in the order of the result's, mostly: looked for from there.
static const struct decision_case *decided(const struct result *result, size_t case_index) {
    const size_t count = result->decision ? result->decision->case_count : 0;
    for (size_t i = 0; i < count; ++i) {
        const struct decision_case *one = &result->decision->cases[(case_index + i) % count];
        if (result_case_is(&result->cases[case_index], one->name)) return one;
    }
    return NULL;
}

static int64_t count_rounds(const struct result_case *item, size_t side) {
    int64_t count = 0;
    for (size_t i = 0; i < item->round_count; ++i)
        count += item->rounds[i].is_valid && item->rounds[i].samples[side].count > 0;
    return count;
}

// verdict: of a candidate; else NULL.
static void bind_figures(struct sql_statement *statement, const struct case_summary *figures,
                         const struct decision_case *verdict) {
    sql_bind_double(statement, 5, figures->is_set ? figures->median_ns : NAN);
    sql_bind_double(statement, 6, figures->is_set ? figures->median_low_ns : NAN);
    sql_bind_double(statement, 7, figures->is_set ? figures->median_high_ns : NAN);
    sql_bind_text(statement, 8, verdict ? verdict_name(verdict->verdict) : NULL);
    sql_bind_double(statement, 9, verdict ? verdict->change_pct : NAN);
}

static int put_case(struct sql_statement *statement, const struct result *result, size_t case_index,
                    struct err *err) {
    const struct result_case *item = &result->cases[case_index];
    const struct decision_case *verdict = decided(result, case_index);
    struct arena arena = {0};
    int code = 0;
    char key[PROBLEM_KEY_BYTES];
    sql_bind_text(statement, 2, result_case_key(item, key));
    for (size_t side = 0; code == 0 && side < result->side_count; ++side) {
        const struct result_side *one = &result->sides[side];
        const struct decision_case *own = one->role == SIDE_CANDIDATE ? verdict : NULL;
        if (!item->summaries[side].is_set && !own) continue;
        sql_bind_text(statement, 3, result_side_name(result, side, &arena));
        sql_bind_text(statement, 4, one->kernel);
        bind_figures(statement, &item->summaries[side], own);
        sql_bind_text(statement, 10, side_role_name(one->role));
        sql_bind_i64(statement, 11, count_rounds(item, side));
        code = sql_queue(statement, err);
    }
    arena_fini(&arena);
    return code;
}

// A problem that is there twice, by its memory layout, has the row of the last one.
#define PUT_RESULT                                                                                           \
    "INSERT INTO results(run, problem, side, kernel, median_ns, low_ns, high_ns, verdict, change_pct, role," \
    " rounds, created_utc) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"                        \
    " ON CONFLICT(run, problem, side) DO UPDATE SET kernel = excluded.kernel,"                               \
    " median_ns = excluded.median_ns, low_ns = excluded.low_ns, high_ns = excluded.high_ns,"                 \
    " verdict = excluded.verdict, change_pct = excluded.change_pct, rounds = excluded.rounds"

static int put_results(struct sql *sql, const struct result *result, int64_t run, struct err *err) {
    struct sql_statement *statement = sql_prepare(sql, "a result is refused", PUT_RESULT);
    int code = 0;
    sql_bind_i64(statement, 1, run);
    sql_bind_text(statement, 12, str_or(result->created_utc, ""));
    for (size_t i = 0; code == 0 && i < result->case_count; ++i) code = put_case(statement, result, i, err);
    sql_finish(statement);
    return code;
}

// ---- the run ----

// The worst of the problems' verdicts.
static const char *overall_verdict(const struct result *result) {
    static const enum verdict worst_first[] = {VERDICT_WRONG,       VERDICT_REGRESSION,  VERDICT_NOT_VALID,
                                               VERDICT_UNDECIDABLE, VERDICT_IMPROVEMENT, VERDICT_MAINTAINED};
    if (!result->decision) return NULL;
    for (size_t k = 0; k < sizeof worst_first / sizeof *worst_first; ++k)
        for (size_t i = 0; i < result->decision->case_count; ++i)
            if (result->decision->cases[i].verdict == worst_first[k]) return verdict_name(worst_first[k]);
    return NULL;
}

static const char *metric_of(const struct result *result) {
    return str_or(result->environment.metric, metric_name(METRIC_TIME));
}

// What the store has of a run already.
struct earlier {
    // The same document, with its metric, or one of more problems: a single problem's file is a part.
    bool stands;
    struct arena arena;
    struct store_origin origin;
};

static int find_earlier(struct sql *sql, const struct result *result, const char *hash, struct earlier *ret,
                        struct err *err) {
    struct sql_statement *statement = sql_prepare(
        sql, "an earlier run cannot be read",
        "SELECT content_hash, problem_count, commit_id, parent, branch, metric FROM runs WHERE run_id = ?1");
    sql_bind_text(statement, 1, result->run_id);
    const int step = sql_step(statement, err);
    if (step > 0) {
        const bool is_same = str_equal(sql_text(statement, 0, &ret->arena), hash) &&
                             str_equal(sql_text(statement, 5, &ret->arena), metric_of(result));
        ret->stands = is_same || sql_i64(statement, 1) > (int64_t)result->case_count;
        ret->origin = (struct store_origin){.commit = sql_text(statement, 2, &ret->arena),
                                            .parent = sql_text(statement, 3, &ret->arena),
                                            .branch = sql_text(statement, 4, &ret->arena)};
    }
    sql_finish(statement);
    return step < 0 ? step : 0;
}

static int remove_run(struct sql *sql, const char *run_id, struct err *err) {
    struct sql_statement *statement =
        sql_prepare(sql, "a run cannot be replaced", "DELETE FROM runs WHERE run_id = ?1");
    sql_bind_text(statement, 1, run_id);
    const int code = sql_step(statement, err);
    sql_finish(statement);
    return code;
}

#define PUT_RUN                                                                                              \
    "INSERT INTO runs(run_id, created_utc, command, suite, manifest, commit_id, parent, branch,"             \
    " device_uuid, device, driver, host, verdict, content_hash, problem_count, document_bytes, document,"    \
    " seed, metric) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18," \
    " ?19) RETURNING id"

static int put_run(struct sql *sql, const struct result *result, const struct store_origin *origin,
                   const struct packed *packed, struct err *err) {
    const struct environment *environment = &result->environment;
    const char *const texts[] = {result->run_id,           str_or(result->created_utc, ""),
                                 result->command,          result->suite,
                                 result->manifest,         origin->commit,
                                 origin->parent,           origin->branch,
                                 environment->device_uuid, environment->device_name,
                                 environment->driver,      environment->host,
                                 overall_verdict(result),  packed->hash};
    enum { TEXT_COUNT = sizeof texts / sizeof *texts };
    struct sql_statement *statement = sql_prepare(sql, "a run is refused", PUT_RUN);
    for (int i = 0; i < TEXT_COUNT; ++i) sql_bind_text(statement, i + 1, texts[i]);
    sql_bind_i64(statement, TEXT_COUNT + 1, (int64_t)result->case_count);
    sql_bind_i64(statement, TEXT_COUNT + 2, (int64_t)packed->document_bytes);
    sql_bind_bytes(statement, TEXT_COUNT + 3, packed->bytes, packed->count);
    sql_bind_i64(statement, TEXT_COUNT + 4, (int64_t)result->seed);
    sql_bind_text(statement, TEXT_COUNT + 5, metric_of(result));
    const int step = sql_step(statement, err);
    const int64_t run = step > 0 ? sql_i64(statement, 0) : 0;
    sql_finish(statement);
    return step < 0 ? step : put_results(sql, result, run, err);
}

// Inside a transaction.
static int put_in_place(struct sql *sql, const struct result *result, const struct store_origin *origin,
                        const struct packed *packed, bool *ret_is_new, struct err *err) {
    struct earlier earlier = {.stands = false};
    int code = find_earlier(sql, result, packed->hash, &earlier, err);
    *ret_is_new = !earlier.stands;
    if (code == 0 && !earlier.stands) code = remove_run(sql, result->run_id, err);
    if (code == 0 && !earlier.stands)
        code = put_run(sql, result, origin && origin->commit ? origin : &earlier.origin, packed, err);
    arena_fini(&earlier.arena);
    return code;
}

int store_put_packed(struct store *store, const struct result *result, const struct packed *packed,
                     const struct store_origin *origin, bool *ret_is_new, struct err *err) {
    bool is_new = false;
    if (!result->run_id)
        return err_set(err, ERR_DATA, "a result without a run id is none of assay's runs: it is not stored");
    TRY(sql_begin(store->sql, err));
    TRY(sql_end(store->sql, put_in_place(store->sql, result, origin, packed, &is_new, err), err));
    if (ret_is_new) *ret_is_new = is_new;
    return 0;
}

int store_put(struct store *store, const struct result *result, const struct store_origin *origin,
              bool *ret_is_new, struct err *err) {
    struct strbuf text = {0};
    struct packed packed = {.bytes = NULL};
    result_write(result, &text);
    int code = store_pack(strbuf_text(&text), text.length, &packed, err);
    if (code == 0) code = store_put_packed(store, result, &packed, origin, ret_is_new, err);
    free(packed.bytes);
    strbuf_fini(&text);
    return code;
}
