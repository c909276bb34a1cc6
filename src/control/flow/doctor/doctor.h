// SPDX-License-Identifier: Apache-2.0
//
// What this machine has and lacks as a runner of gates, each finding with the command that mends it. It looks
// and changes nothing. A finding's group is a file, and a line of the table in doctor.c.
#ifndef CONTROL_FLOW_DOCTOR_DOCTOR_H
#define CONTROL_FLOW_DOCTOR_DOCTOR_H

#include "base/arena.h"

enum doctor_level {
    DOCTOR_OK = 0,
    DOCTOR_NOTE,    // gates run without it, and something is worse or missing
    DOCTOR_LACKING, // no gate runs
    DOCTOR_LEVEL_COUNT
};
const char *doctor_level_name(enum doctor_level level); // "ok", "note", "lacking"

struct doctor_finding {
    enum doctor_level level;
    const char *topic, *text; // "ccache", "not installed: CUDA kernels are compiled anew ..."
    const char *remedy; // a line of a shell: a command, or advice as a comment ("# ..."); NULL: nothing to do
};

struct doctor {
    struct arena *arena;
    const char *root; // of /proc and /sys; "" but in tests
    size_t count, capacity;
    struct doctor_finding *findings;
};

void doctor_examine(struct doctor *doctor);
// Those of the worst level that there is.
enum doctor_level doctor_worst(const struct doctor *doctor);

// ---- the groups ----

void doctor_examine_devices(struct doctor *doctor); // processors and GPUs, as a worker sees them; labels
void doctor_examine_system(struct doctor *doctor); // priority, load, governor, counters, sandbox, disk, clock
void doctor_examine_tools(struct doctor *doctor);  // compilers and other programs
// The parts of the system's group that read files below root.
void doctor_examine_files(struct doctor *doctor);

// text: printf-like, kept in the arena. remedy: a literal, or in the arena.
void doctor_add(struct doctor *doctor, enum doctor_level level, const char *topic, const char *remedy,
                const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
