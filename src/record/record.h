// SPDX-License-Identifier: Apache-2.0
//
// A record: one line of JSON. A worker writes records on descriptor 3, the journal stores them, a merge of
// shards reads them and a resume replays them. A record names its phase, round, case and side, so that a
// duplicate is recognised and the first complete one stands.
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "record/audit_result.h"
#include "record/check_result.h"
#include "record/device_state.h"
#include "record/environment.h"
#include "record/invalid_cause.h"
#include "record/launch_counters.h"
#include "record/record_query.h"
#include "record/samples.h"

#define RECORD_SCHEMA 1

enum record_kind {
    RECORD_INVALID = 0,
    RECORD_HELLO,      // worker: who and where (environment)
    RECORD_CASE,       // worker: this case is about to begin (so that a crash has a name)
    RECORD_CHECK,      // result of checking a case on a side
    RECORD_SAMPLES,    // samples of a case on a side in a round
    RECORD_CASE_STATE, // device state over the window of a case's samples (both sides), with validity
    RECORD_KERNEL,     // describe: one kernel of a side's module
    RECORD_DEVICE,     // devices: one device or a backend that is missing, and why
    RECORD_CEILING,    // ceilings: one figure
    RECORD_COUNTERS,   // profile: what the hardware counted in a launch
    RECORD_WARNING,    // a sentence for the report
    RECORD_BYE,        // worker: all done
    RECORD_ROUND,      // executor: a round is complete, with its validity
    RECORD_PROGRAM,    // executor: text is a hash of the program that executes the run
    RECORD_AUDIT,      // audit: what became of one wrong result of one output
    RECORD_LOCK,       // lock: the clocks are held (is_valid, locked_clock_mhz), or text says why not
    RECORD_KIND_COUNT
};
const char *record_kind_name(enum record_kind kind); // "hello", "case", ...
enum record_kind record_kind_parse(const char *name);

enum phase { PHASE_NONE = 0, PHASE_CHECK, PHASE_ROUND, PHASE_QUERY, PHASE_COUNT };
const char *phase_name(enum phase phase); // "check", "round", "ask"
enum phase phase_parse(const char *name);

// RECORD_CASE: the side is not known, or all sides are timed alternately from here on.
#define RECORD_SIDE_ALL UINT32_MAX

struct record {
    enum record_kind kind;
    enum phase phase;
    uint32_t round, case_index, side;
    uint32_t attempt;   // repetition of a case that was not valid: 0, 1, 2, 3; copied from the order
    uint64_t time_ns;   // clock_ns of the writer
    const char *text;   // HELLO: worker's pid; WARNING: sentence; ROUND, CASE_STATE: why not valid, or NULL
    bool is_valid;      // ROUND, CASE_STATE, LOCK
    uint64_t own_bytes; // CASE: memory that the worker itself takes for it; 0: not known
    uint32_t locked_clock_mhz; // LOCK
    // BYE: the key that the worker drew under, in hex (base/dice.h), so that a finding can be retraced; NULL:
    // it drew from the seed, or drew nothing. Nobody draws under it any more.
    const char *draws_key;
    // CASE_STATE: why not valid; NONE when valid. CHECK: KILLED_FROM_OUTSIDE, or NONE: the side's process was
    // ended by a signal that proves nothing of the kernel, and the worker ends with this record.
    enum invalid_cause invalid_cause;
    struct check_result check;
    struct samples samples;
    struct device_state state;
    struct environment environment;
    struct kernel_description *kernel;
    struct device_description *device;
    struct ceiling ceiling;
    struct launch_counters counters;
    struct audit_result audit;
};

void record_write(const struct record *record, struct strbuf *out); // one line with its newline
// The record's strings and arrays live in the arena. ERR_DATA for a line that is not a record.
int record_parse(const char *line, size_t length, struct arena *arena, struct record *ret, struct err *err);

#endif
