// SPDX-License-Identifier: Apache-2.0
//
// See store_facets.h.
#include "store/store_facets.h"

#include "store/store_internal.h"

static const char *const facet_queries[STORE_FACET_COUNT] = {
    [STORE_FACET_BRANCH] = "SELECT DISTINCT branch, NULL FROM runs WHERE branch IS NOT NULL ORDER BY branch",
    [STORE_FACET_DEVICE] = ("SELECT DISTINCT device_uuid, device FROM runs WHERE device_uuid IS NOT NULL"
                            " OR device IS NOT NULL ORDER BY device_uuid, device"),
    [STORE_FACET_SUITE] = "SELECT DISTINCT suite, NULL FROM runs WHERE suite IS NOT NULL ORDER BY suite",
};

int store_list_facets(struct store *store, enum store_facet_kind kind, struct arena *arena,
                      struct store_facet **ret, size_t *ret_count, struct err *err) {
    struct sql_statement *statement =
        sql_prepare(store->sql, "branches, devices and suites cannot be listed", facet_queries[kind]);
    int step;
    *ret = NULL;
    *ret_count = 0;
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct store_facet){.value = sql_text(statement, 0, arena),
                                                      .name = sql_text(statement, 1, arena)};
    }
    sql_finish(statement);
    return step;
}
