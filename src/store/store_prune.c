// SPDX-License-Identifier: Apache-2.0
//
// Removes runs, and what was kept beside them.
#include "store/store_internal.h"

// A statement that yields a row for each that is removed.
static int count_pruned(struct sql *sql, const char *text, const struct store_filter *filter,
                        const char *before_utc, size_t *ret_count, struct err *err) {
    struct sql_statement *statement = sql_prepare(sql, "runs cannot be removed", text);
    int step;
    *ret_count = 0;
    store_bind_filter(statement, filter);
    sql_bind_text(statement, STORE_FILTER_PARAMETER_COUNT + 1, before_utc);
    while ((step = sql_step(statement, err)) > 0) ++*ret_count;
    sql_finish(statement);
    return step;
}

#define PRUNED                                                                                               \
    " FROM runs AS r WHERE r.created_utc < ?11 AND r.run_id NOT IN " STORE_BASELINE_RUNS                     \
    " AND " STORE_RUN_WHERE

static int prune(struct store *store, const struct store_filter *filter, const char *before_utc,
                 size_t *ret_count, struct err *err) {
    TRY(count_pruned(store->sql, "DELETE" PRUNED " RETURNING id", filter, before_utc, ret_count, err));
    TRY(store_prune_profiles(store, filter, before_utc, err));
    TRY(store_prune_tunings(store, filter, before_utc, err));
    return store_prune_answers(store, filter, before_utc, err);
}

int store_prune(struct store *store, const struct store_filter *filter, const char *before_utc, bool is_dry,
                size_t *ret_count, struct err *err) {
    if (filter->problem || filter->side || filter->limit) BUG("runs removed by problem, side or number");
    if (is_dry) return count_pruned(store->sql, "SELECT r.id" PRUNED, filter, before_utc, ret_count, err);
    TRY(sql_begin(store->sql, err));
    return sql_end(store->sql, prune(store, filter, before_utc, ret_count, err), err);
}
