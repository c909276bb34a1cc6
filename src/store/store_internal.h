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
    " r.verdict, r.document_bytes, r.problem_count, r.manifest, r.parent, r.branch, r.seed"
enum { STORE_RUN_COLUMN_COUNT = 16 };
struct stored_run store_read_run(const struct sql_statement *statement, struct arena *arena);
// Room for one more item, which moves to twice the room when it is full.
void *store_grown(struct arena *arena, void *items, size_t count, size_t bytes);
// The parameters of a filter: 1 run_id, 2 suite, 3 commit, 4 device, 5 since, 6 limit, 7 problem, 8 side,
// 9 branch.
void store_bind_filter(struct sql_statement *statement, const struct store_filter *filter);
// The compressed document in a column; the one before it has its length.
int store_read_document(const struct sql *sql, const struct sql_statement *statement, int column,
                        struct strbuf *out, struct err *err);
int store_no_run(const char *run_id, struct err *err); // ERR_NO_INPUT: there is no such run

#endif
