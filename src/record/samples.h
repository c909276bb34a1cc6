// SPDX-License-Identifier: Apache-2.0
//
// Raw samples of one side of one case in one round: integers as measured, each with its clock readings.
// Discarded samples stay, with the reason. Statistics are recomputed from these.
#ifndef RECORD_SAMPLES_H
#define RECORD_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "record/member.h"

enum discard {
    DISCARD_NONE = 0,
    DISCARD_FIRST_PAIR,  // the first ABBA pair of a problem, always dropped
    DISCARD_PREEMPTED,   // our threads waited for a processor during the sample
    DISCARD_STEAL,       // the hypervisor took the processor
    DISCARD_THROTTLED,   // hardware or thermal slowdown; set by no worker now, only read
    DISCARD_CLOCK,       // wrong clock at the sample; set by no worker now, only read
    DISCARD_AUDIT,       // the audit launch (other data): checked, not timed
    DISCARD_UNCONFIRMED, // the kernel's process and the judge timed it differently
    DISCARD_COUNT
};
const char *discard_name(enum discard discard); // "", "first_pair", ...
enum discard discard_parse(const char *name);   // DISCARD_COUNT when unknown

struct sample {
    uint64_t start_ns;    // since the worker's start
    uint64_t duration_ns; // > 0
    uint32_t launches;    // > 0
    enum discard discard;
    uint64_t judge_ns;      // by the judge's clock, when the kernel ran in another process; 0: it did not
    double clock_hz;        // clock probe read right before; NAN when not read
    double kernel_clock_hz; // mean clock of the device during the sample; NAN or 0: not read
};

#define SAMPLES_COUNT_MAX ((size_t)1 << 20) // of one side of one case in one round, in a document

struct samples {
    size_t count;
    struct sample *items; // in the arena it was parsed into, or the caller's
    // A single launch from call to completion by the host's clock, median; 0 or NAN: not measured.
    double call_wall_ns;
    // Of this side alone, in the sustained power mode of a device that counts energy; 0 or NAN: not known.
    double launch_energy_j, power_w;
};

// Columns: {"duration_ns": [...], "start_ns": [...], "judge_ns": [...], "launches": n or [...], "discard":
// {"3": "steal"}, "clock_hz": [...], "kernel_clock_hz": [...], "call_wall_ns": 21300.5,
// "launch_energy_j": 0.0213, "power_w": 690}. Only duration_ns is
// required: launches is 1 and start_ns 0 where they are absent. Reading is ERR_DATA when columns differ in
// length or a duration is not positive.
extern const struct member_table samples_members;

double sample_time_ns(const struct sample *sample); // per launch
// Per-launch times in ns of the samples that count. ret_times holds samples->count; returns how many were
// stored.
size_t samples_times_ns(const struct samples *samples, double *ret_times_ns);
// The same by the judge's clock. 0 where it did not time them.
size_t samples_judge_times_ns(const struct samples *samples, double *ret_times_ns);
size_t samples_discarded(const struct samples *samples); // without first_pair and audit

#endif
