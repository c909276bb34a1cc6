// SPDX-License-Identifier: Apache-2.0
//
// Figures of perf events and their classes. Thresholds after Intel's Optimization Reference Manual, appendix
// B (top-down analysis): coarse, since a hypervisor hides most counters.
#include "profile/cpu_profile.h"

#include <math.h>
#include <string.h>

#define BUSY_IPC          2.0 // instructions a cycle from which on the core is busy
#define MISSES_PER_KILO   5.0 // last level misses a thousand instructions from which on memory limits
#define BRANCH_MISS_PCT   2.0
#define WIDTH_BITS        256  // every x86-64-v3 has it
#define FAULTS_A_LAUNCH   64.0 // fresh pages in every launch
#define SWITCHES_A_LAUNCH 1.0

static double one(const struct launch_counters *launch, const char *name) {
    return nsight_find(launch, (const char *const[]){name, NULL});
}

static double share(double part, double whole, double scale) {
    return whole > 0 ? scale * part / whole : NAN;
}

// Instructions by width, each counted once for all its lanes.
static double vector_bits_of(const struct launch_counters *launch) {
    static const struct {
        const char *name;
        double bits;
    } widths[] = {{"fp_arith_inst_retired.scalar_single", 32},
                  {"fp_arith_inst_retired.128b_packed_single", 128},
                  {"fp_arith_inst_retired.256b_packed_single", 256},
                  {"fp_arith_inst_retired.512b_packed_single", 512}};
    double count = 0, bits = 0;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
        const double value = one(launch, widths[i].name);
        if (isnan(value)) return NAN;
        count += value;
        bits += value * widths[i].bits;
    }
    return count > 0 ? bits / count : NAN;
}

struct cpu_profile cpu_profile_from(const struct launch_counters *launch) {
    struct cpu_profile p = {.instructions = one(launch, "instructions"),
                            .cycles = one(launch, "cycles"),
                            .task_clock_ns = one(launch, "task-clock"),
                            .page_faults = one(launch, "page-faults"),
                            .context_switches = one(launch, "context-switches"),
                            .migrations = one(launch, "cpu-migrations"),
                            .vector_bits = vector_bits_of(launch)};
    p.instructions_per_cycle = share(p.instructions, p.cycles, 1);
    p.branch_miss_pct = share(one(launch, "branch-misses"), one(launch, "branches"), 100);
    p.l1d_miss_pct = share(one(launch, "L1-dcache-load-misses"), one(launch, "L1-dcache-loads"), 100);
    p.cache_misses_per_kilo_instr = share(one(launch, "cache-misses"), p.instructions, 1000);
    return p;
}

static void suppose(struct diagnosis *d, struct hypothesis one) {
    if (d->hypothesis_count < FINDINGS_MAX) d->hypotheses[d->hypothesis_count++] = one;
}

static void classify(const struct cpu_profile *p, struct diagnosis *d, struct arena *arena) {
    if (isnan(p->instructions_per_cycle)) {
        d->because = "instructions and cycles were not counted: this machine, or its hypervisor, has no such "
                     "counters";
        return;
    }
    const bool is_memory = p->cache_misses_per_kilo_instr > MISSES_PER_KILO;
    const bool is_busy = p->instructions_per_cycle >= BUSY_IPC;
    d->bottleneck = is_busy ? BOTTLENECK_COMPUTE : is_memory ? BOTTLENECK_MEMORY : BOTTLENECK_LATENCY;
    d->because =
        arena_format(arena, "%.2f instructions a cycle (threshold %g)%s", p->instructions_per_cycle, BUSY_IPC,
                     isnan(p->cache_misses_per_kilo_instr)
                         ? ""
                         : arena_format(arena, ", %.1f last level misses a thousand (threshold %g)",
                                        p->cache_misses_per_kilo_instr, MISSES_PER_KILO));
}

static void add_hypotheses(const struct cpu_profile *p, struct diagnosis *d, struct arena *arena) {
    if (p->vector_bits < WIDTH_BITS)
        suppose(d, (struct hypothesis){
                       "use wider vectors",
                       arena_format(arena, "%.0f bits on average (threshold %d)", p->vector_bits, WIDTH_BITS),
                       "-march of the processor, or intrinsics; no calls in the inner loop",
                       WIDTH_BITS / p->vector_bits});
    if (d->bottleneck == BOTTLENECK_MEMORY)
        suppose(d, (struct hypothesis){"move fewer bytes from memory",
                                       arena_format(arena, "%.1f last level misses a thousand (threshold %g)",
                                                    p->cache_misses_per_kilo_instr, MISSES_PER_KILO),
                                       "tiles that fit the second level cache", NAN});
    if (d->bottleneck == BOTTLENECK_LATENCY)
        suppose(d, (struct hypothesis){"shorten chains of dependent instructions",
                                       arena_format(arena, "%.2f instructions a cycle (threshold %g)",
                                                    p->instructions_per_cycle, BUSY_IPC),
                                       "more accumulators in the inner loop",
                                       BUSY_IPC / p->instructions_per_cycle});
    if (p->branch_miss_pct > BRANCH_MISS_PCT)
        suppose(d, (struct hypothesis){"fewer branches that cannot be predicted",
                                       arena_format(arena, "%.1f %% of the branches (threshold %g %%)",
                                                    p->branch_miss_pct, BRANCH_MISS_PCT),
                                       "masks instead of branches", NAN});
    if (p->page_faults > FAULTS_A_LAUNCH)
        suppose(d, (struct hypothesis){"allocate before the launch",
                                       arena_format(arena, "%.0f page faults a launch (threshold %g)",
                                                    p->page_faults, FAULTS_A_LAUNCH),
                                       "the workspace, or memory kept from prepare", NAN});
}

struct diagnosis cpu_profile_diagnose(const struct cpu_profile *profile, struct arena *arena) {
    struct diagnosis d = {0};
    classify(profile, &d, arena);
    add_hypotheses(profile, &d, arena);
    if (profile->context_switches > SWITCHES_A_LAUNCH)
        d.notes[d.note_count++] = arena_format(
            arena, "%.0f context switches in the launch: it waited for others, or for its own threads",
            profile->context_switches);
    return d;
}

#define PROFILE(m, sentence) MEMBER(struct cpu_profile, #m, m, sentence)
static const struct member members[] = {
    PROFILE(instructions, "Instructions in user space."),
    PROFILE(cycles, "Cycles meanwhile, of all threads together."),
    PROFILE(instructions_per_cycle, "Their ratio."),
    PROFILE(branch_miss_pct, "Branches that were not predicted."),
    PROFILE(l1d_miss_pct, "Loads that miss the first level."),
    PROFILE(cache_misses_per_kilo_instr, "Misses of the last level, a thousand instructions."),
    PROFILE(vector_bits, "Mean width of arithmetic in fp32."),
    PROFILE(task_clock_ns, "Time of all threads together, while counted: no performance."),
    PROFILE(page_faults, "Page faults of the launch."),
    PROFILE(context_switches, "Context switches of the launch."),
    PROFILE(migrations, "Threads that changed their processor."),
};
const struct member_table cpu_profile_members = MEMBER_TABLE(
    struct cpu_profile, "cpu_profile", members, .sentence = "What a processor counted in one launch.");
