// SPDX-License-Identifier: Apache-2.0
//
// Causes for which a measurement does not count: the device or the machine was disturbed, the samples are
// too few, or the worker ended. The check that rejects a measurement sets the cause, together with a
// sentence for people. The cause decides what is done next.
#ifndef RECORD_INVALID_CAUSE_H
#define RECORD_INVALID_CAUSE_H

// Largest difference allowed between the sides' clock probes in one measurement. Every comparison uses it.
#define CLOCKS_APART_MAX_PCT 1.0

#define INVALID_CAUSE_OTHER_PROCESS_FORMER "foreign_process" // its name in earlier documents and journals

enum invalid_cause {
    INVALID_CAUSE_NONE = 0,            // the measurement counts, or another tool's file does not say
    INVALID_CAUSE_BUSY,                // other programs or the hypervisor had our processors
    INVALID_CAUSE_THROTTLED,           // a hardware or thermal slowdown of the device
    INVALID_CAUSE_OTHER_PROCESS,       // another process used the device
    INVALID_CAUSE_CLOCKS_APART,        // the sides had different clocks
    INVALID_CAUSE_TOO_FEW_SAMPLES,     // most samples of a side were disturbed
    INVALID_CAUSE_STRAY_WRITE,         // buffers changed, and no side rerun alone changes them
    INVALID_CAUSE_WORKER_DIED,         // the worker ended, and no side rerun alone ends it
    INVALID_CAUSE_NOT_COLD,            // cold times were asked for, and the cache could not be emptied
    INVALID_CAUSE_COARSE_TIMER,        // a sample is too short for the step of the device's timer
    INVALID_CAUSE_KILLED_FROM_OUTSIDE, // a signal that was not ours ended a process, and not again alone
    INVALID_CAUSE_COUNT
};
extern const char *const invalid_cause_names[INVALID_CAUSE_COUNT];
const char *invalid_cause_name(enum invalid_cause cause); // "busy", "throttled", ...; "none"
enum invalid_cause invalid_cause_parse(const char *name); // INVALID_CAUSE_NONE when unknown

#endif
