// SPDX-License-Identifier: Apache-2.0
//
// Shared by the files of the store.
#ifndef STORE_STORE_INTERNAL_H
#define STORE_STORE_INTERNAL_H

#include "store/sql.h"
#include "store/store.h"

struct store {
    struct sql *sql;
};

// What store_read_run reads, from column 0; r: the table of runs.
#define STORE_RUN_COLUMNS                                                                                    \
    "r.run_id, r.created_utc, r.command, r.suite, r.commit_id, r.device_uuid, r.device, r.driver, r.host,"   \
    " r.verdict, r.document_bytes, r.problem_count, r.manifest, r.parent, r.branch, r.seed, r.metric"
enum { STORE_RUN_COLUMN_COUNT = 17 };
struct stored_run store_read_run(const struct sql_statement *statement, struct arena *arena);
// Room for one more item, which moves to twice the room when it is full.
void *store_grown(struct arena *arena, void *items, size_t count, size_t bytes);
// The parameters of a filter: 1 run_id, 2 suite, 3 commit, 4 device, 5 since, 6 limit, 7 problem, 8 side,
// 9 branch, 10 metric. The statement has the last one: SQLite binds none that is not there.
enum { STORE_FILTER_PARAMETER_COUNT = 10 };
void store_bind_filter(struct sql_statement *statement, const struct store_filter *filter);
// The compressed document in a column; the one before it has its length.
int store_read_document(const struct sql *sql, const struct sql_statement *statement, int column,
                        struct strbuf *out, struct err *err);
// The conditions of a filter on runs, r. Those that it does not have are true.
#define STORE_RUN_WHERE                                                                                      \
    "(?1 IS NULL OR r.run_id = ?1) AND (?2 IS NULL OR r.suite = ?2) AND (?3 IS NULL OR r.commit_id = ?3)"    \
    " AND (?4 IS NULL OR r.device_uuid = ?4 OR r.device = ?4) AND (?5 IS NULL OR r.created_utc >= ?5)"       \
    " AND (?9 IS NULL OR r.branch = ?9) AND (?10 IS NULL OR r.metric = ?10)"
// The parts of store_prune for profiles, tunings and answers, inside its transaction.
int store_prune_profiles(struct store *store, const struct store_filter *filter, const char *before_utc,
                         struct err *err);
int store_prune_tunings(struct store *store, const struct store_filter *filter, const char *before_utc,
                        struct err *err);
int store_prune_answers(struct store *store, const struct store_filter *filter, const char *before_utc,
                        struct err *err);
#define STORE_BASELINE_RUNS "(SELECT run_id FROM baselines)"
int store_no_run(const char *run_id, struct err *err); // ERR_NO_INPUT: there is no such run

#endif
