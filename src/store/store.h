// SPDX-License-Identifier: Apache-2.0
//
// What was measured, kept: every run with its document, and a row for each problem and side, so that years of
// them are searched without opening documents. In SQLite, one file, or in PostgreSQL.
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "record/result.h"

struct store;

// Opens the store at a path or at postgresql://..., and makes it where may_create. ERR_UNAVAILABLE: this
// program was built without that engine, there is no connection, the store is busy, or of a newer assay.
// ERR_DATA: it is no store. ERR_NO_INPUT: it is not there. ERR_USAGE: the address is none. No message has the
// address's password.
int store_open(const char *address, bool may_create, struct store **ret, struct err *err);
void store_close(struct store *store); // accepts NULL
bool store_is_built_in(void);          // in files, at least

// Keeps a run: in one transaction, so that a kill loses all of it or nothing. A run of the same id takes the
// place of the earlier one, unless that has more problems (a single problem's file is a part of its run).
// origin: NULL: not known. *ret_is_new (may be NULL): false if the same document was there already.
struct store_origin {
    const char *commit, *parent, *branch; // of the kernel's repository: "a1b2c3d" or "a1b2c3d-dirty"; or NULL
};
int store_put(struct store *store, const struct result *result, const struct store_origin *origin,
              bool *ret_is_new, struct err *err);
// The same with the packed text (store_pack.h) that the result was read from: it need not be written anew.
struct packed;
int store_put_packed(struct store *store, const struct result *result, const struct packed *packed,
                     const struct store_origin *origin, bool *ret_is_new, struct err *err);

// Texts live in the arena of the call; those that are not known are NULL, numbers NAN.
struct stored_run {
    const char *run_id, *created_utc, *command, *suite, *manifest;
    const char *commit, *parent, *branch;
    const char *device_uuid, *device, *driver, *host;
    const char *verdict; // of a gate, the worst of its problems; else NULL
    const char *metric;  // "time", "instructions": what the figures of its results are (record/metric.h)
    uint64_t seed;
    int64_t problem_count;
    int64_t document_bytes;
};

struct stored_result {
    struct stored_run run;
    const char *problem, *side, *role, *kernel, *verdict;
    int64_t round_count;               // valid rounds; 0: not known
    double median_ns, low_ns, high_ns; // 95 % interval of the median; counts, if the run's metric is one
    double change_pct;                 // of a candidate: positive is slower
};

// Which runs or results; NULL, 0: any.
struct store_filter {
    const char *run_id, *problem, *suite, *commit, *branch;
    const char *device;    // UUID or name
    const char *side;      // or kernel
    const char *since_utc; // created at or after
    const char *metric;    // "time", "instructions"
    uint32_t limit;        // the newest so many
};

// Oldest first.
int store_list_runs(struct store *store, const struct store_filter *filter, struct arena *arena,
                    struct stored_run **ret, size_t *ret_count, struct err *err);
int store_list_results(struct store *store, const struct store_filter *filter, struct arena *arena,
                       struct stored_result **ret, size_t *ret_count, struct err *err);
// Of one problem and one side, which is its label alone: the end of an index.
int store_list_series(struct store *store, const struct store_filter *filter, struct arena *arena,
                      struct stored_result **ret, size_t *ret_count, struct err *err);
int store_count_runs(struct store *store, const struct store_filter *filter, size_t *ret_count,
                     struct err *err); // whatever its limit
// The newest result of every problem and side, by name, whatever its metric: what an overview shows. Without
// limit.
int store_list_problems(struct store *store, const struct store_filter *filter, struct arena *arena,
                        struct stored_result **ret, size_t *ret_count, struct err *err);
bool store_has_condition(const struct store_filter *filter); // whatever its limit
// Of all these only the names, in their order: half of the time. The newest of one is the end of its series.
struct stored_side {
    const char *problem, *side;
};
int store_list_sides(struct store *store, struct arena *arena, struct stored_side **ret, size_t *ret_count,
                     struct err *err);
// The document of a run, as result.json had it. ERR_NO_INPUT: no such run.
int store_document(struct store *store, const char *run_id, struct strbuf *out, struct err *err);
// Removes runs, profiles and tunings that fit and were made before, but baselines and their profiles;
// *ret_count: how many runs. is_dry: only counts them. The filter has no problem, side or limit: a run has
// many.
int store_prune(struct store *store, const struct store_filter *filter, const char *before_utc, bool is_dry,
                size_t *ret_count, struct err *err);

// The run that a branch is measured against, one for each device and suite ("": runs that name none).
struct store_place {
    const char *branch, *device_uuid, *suite;
};
struct stored_baseline {
    struct store_place place;
    struct stored_run run;
};
// Makes a run the baseline of its device and suite. branch: NULL: the run's own. ERR_NO_INPUT: no such run;
// ERR_USAGE: neither has a branch, or the run has no device.
int store_set_baseline(struct store *store, const char *run_id, const char *branch, struct err *err);
// By branch, device and suite; a NULL in the place is any.
int store_list_baselines(struct store *store, const struct store_place *place, struct arena *arena,
                         struct stored_baseline **ret, size_t *ret_count, struct err *err);

#endif
