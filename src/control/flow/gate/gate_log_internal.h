// SPDX-License-Identifier: Apache-2.0
//
// The log of decided gates: <cache folder>/gates/<hash of the two codes and the device>.jsonl, one line for
// each run, so that earlier decisions are known wherever --output-dir points. Written under a lock; its
// length is limited. A line that cannot be read is a warning and never stops a gate. Deleting the file
// forgets the runs.
#ifndef CONTROL_FLOW_GATE_GATE_LOG_INTERNAL_H
#define CONTROL_FLOW_GATE_GATE_LOG_INTERNAL_H

#include "base/arena.h"
#include "base/err.h"
#include "control/plan/plan.h"
#include "record/decision.h"
#include "record/result.h"

#define GATE_LOG_RUNS_MAX 200 // the newest stay

// A decided run in short. `decision` has the exit code, the sentence and the thresholds and, for every
// problem of the plan, the verdict and the change with its spread; nothing else is set.
struct gate_entry {
    const char *run_id, *dir, *created_utc;
    const char *device_uuid; // NULL: not known
    const char *claim;       // "improvement", "improvement:p1,p2"; NULL: none
    uint32_t thread_count;
    struct decision decision;
};
// A deep copy; all of it in the arena.
struct gate_entry gate_entry_copy(const struct gate_entry *entry, struct arena *arena);

struct gate_log {
    struct arena arena; // owns the entries
    size_t count;
    struct gate_entry *entries; // in the order of the file, the newest last; each run once
    const char *warning;        // what could not be read, and what to do about it; NULL: nothing
};

// Path of the gate log of a plan's two codes and its device; caller frees. NULL: a side has no code hash,
// or the cache is not ours.
char *gate_log_path(const struct plan *plan);
// The device's key: "sim-<hash>" for a simulated device, else the device's name in the plan.
void gate_device_key(const struct plan *plan, char ret_key[64]);

// A decided run as an entry. New texts and arrays live in the arena, the others are borrowed.
struct gate_entry gate_entry_make(const struct plan *plan, const char *dir, const struct result *result,
                                  const struct decision *decision, struct arena *arena);

// A missing file is empty. *ret is to be freed with gate_log_fini.
void gate_log_read(const char *path, struct gate_log *ret);
void gate_log_fini(struct gate_log *gate_log);

// Adds a line at the end. Removes an older line of the same run, and the oldest lines above the limit.
int gate_log_add(const char *path, const struct gate_entry *entry, struct err *err);

#endif
