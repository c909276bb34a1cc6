// SPDX-License-Identifier: Apache-2.0
//
// See run_limits.h: a row a limit.
#include "record/run_limits.h"

#define REFERENCE_S 60

static const char *const priority_names[RUN_PRIORITY_COUNT] = {
    [RUN_PRIORITY_HIGH] = "high", [RUN_PRIORITY_NORMAL] = "normal"};

// Which of two values is the stricter one has to be said: SMALLER, LARGER, or BASELINE where neither is.
#define LIMIT(m, stricter, lowest, highest, value, ...)                                                      \
    {                                                                                                        \
        .key = #m, .type = MEMBER_TYPE(struct run_limits, m), MEMBER_PLACE(struct run_limits, m),            \
        .strictness = STRICT_##stricter, .flags = MEMBER_ABSENT_0, MEMBER_FROM_TO(lowest, highest),          \
        .example = value, .sentence = __VA_ARGS__                                                            \
    }
#define LIMIT_NAMED(m, stricter, n, value, ...)                                                              \
    MEMBER_NAMED(struct run_limits, #m, m, n, __VA_ARGS__, .flags = MEMBER_ZERO_NAMED,                       \
                 .strictness = STRICT_##stricter, .example = value)

static const struct member members[] = {
    LIMIT(case_s, SMALLER, 0.1, RUN_LIMITS_CASE_S_MAX, "60",
          "One call of a kernel: a launch, `prepare`, `release`; on a GPU one sample. After that the case is "
          "TIMEOUT. A problem that goes on gets 20 times as long in all; after that it is not measured, and "
          "nobody is blamed (exit code 3). Sampling of a problem in a round stops after half of it, at most "
          "30 s (`--case-time`).",
          .type_text = "seconds, 0.1 to 86400", .fallback = "60"),
    // A shorter one cuts rounds off, a longer one keeps the machine.
    LIMIT(gate_s, BASELINE, 1, RUN_LIMITS_GATE_S_MAX, "3600", "A whole gate.",
          .type_text = "seconds, 1 to 604800", .fallback = "3600"),
    // A shorter one makes a case invalid, a longer one keeps the machine.
    LIMIT(reference_s, BASELINE, 1, RUN_LIMITS_CASE_S_MAX, "60",
          "One run of the reference of an operator that the manifest declares.",
          .type_text = "seconds, 1 to 86400", .fallback = "60"),
    LIMIT(memory_gb, SMALLER, 0.01, RUN_LIMITS_MEMORY_GB_MAX, "16",
          "Resident memory of a worker beyond assay's own tensors and references, and memory of a kernel's "
          "process, shared memory too ([sandbox.md](sandbox.md#memory)). A problem whose tensors and "
          "reference alone take more than that, or than the machine has, is not measured (exit code 3).",
          .fallback = "none; half of the machine's memory for a kernel's process on a processor"),
    LIMIT(busy_pct, BASELINE, 0.01, 100, "10",
          "How much of our processors other programs and the hypervisor may take during a measurement "
          "(`--busy-limit`). Without it assay judges each sample by the time taken from its own threads, and "
          "applies 2 % where the system does not report that.",
          .fallback = "none"),
    LIMIT_NAMED(priority, BASELINE, priority_names, "normal",
                "`high`: both sides run at a higher priority than other programs, as far as the system "
                "allows (root, or `RLIMIT_NICE`): nice -20, never a real-time class. Reports show the value.",
                .type_text = "`high` or `normal`", .fallback = "`high`"),
};
const struct member_table run_limits_members =
    MEMBER_TABLE(struct run_limits, "limits", members, .sentence = "Limits of time, memory and load.");

enum run_priority run_priority_parse(const char *name) {
    const int value = member_value(priority_names, RUN_PRIORITY_COUNT, name);
    return value < 0 ? RUN_PRIORITY_COUNT : (enum run_priority)value;
}

struct run_limits run_limits_default(void) {
    return (struct run_limits){.case_s = 60, .gate_s = 3600};
}

uint64_t run_limits_memory_bytes(const struct run_limits *limits) {
    return limits->memory_gb > 0 ? (uint64_t)(limits->memory_gb * 1e9) : 0;
}

uint64_t run_limits_reference_ns(const struct run_limits *limits) {
    return (uint64_t)((limits->reference_s > 0 ? limits->reference_s : REFERENCE_S) * 1e9);
}
