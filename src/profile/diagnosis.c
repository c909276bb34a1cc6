// SPDX-License-Identifier: Apache-2.0
//
// Bottleneck and hypotheses of a profile. Every sentence names the threshold (thresholds.h) that it uses.
// Sources: Nsight Compute's guide (speed of light, warp states) and the roofline model (Williams, Waterman,
// Patterson 2009).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "profile/diagnosis_internal.h"
#include "profile/thresholds.h"

enum { SPECIALISED_THREADS = 3 * 128 };

static const char *const names[BOTTLENECK_COUNT] = {
    [BOTTLENECK_UNKNOWN] = "unknown",
    [BOTTLENECK_ACCOUNTING_ERROR] = "accounting_error",
    [BOTTLENECK_REGISTER_SPILL] = "register_spill",
    [BOTTLENECK_COMPUTE] = "compute_bound",
    [BOTTLENECK_MEMORY] = "memory_bound",
    [BOTTLENECK_SMALL_GRID] = "small_grid",
    [BOTTLENECK_LAUNCH_OR_LATENCY] = "launch_or_latency",
    [BOTTLENECK_LATENCY] = "latency_bound",
    [BOTTLENECK_MIXED] = "mixed",
    [BOTTLENECK_LEANS_COMPUTE] = "leans_to_compute",
    [BOTTLENECK_LEANS_MEMORY] = "leans_to_memory",
    [BOTTLENECK_BALANCED] = "balanced",
};

const char *bottleneck_name(enum bottleneck bottleneck) {
    return member_name(names, BOTTLENECK_COUNT, (int)bottleneck);
}

// ---- the bottleneck ----

struct busiest {
    double pct;
    const char *unit;
};

// NAN loses against a number.
static void take(struct busiest *most, double pct, const char *unit) {
    if (pct > most->pct || (isnan(most->pct) && isfinite(pct))) *most = (struct busiest){pct, unit};
}

static struct busiest compute_of(const struct profile *p) {
    struct busiest most = {NAN, "SM"};
    take(&most, p->sm_pct, "SM");
    take(&most, p->tensor_pct, "tensor pipe");
    return most;
}

static struct busiest memory_of(const struct profile *p) {
    struct busiest most = {NAN, "memory"};
    take(&most, p->dram_pct, "DRAM");
    take(&most, p->l2_pct, "L2");
    return most;
}

// Of peaks. Hits and misses are counted in passes of their own, and their rate exceeds all where the passes
// found different caches: that is a note.
static bool exceeds_all(const struct profile *p, const char **ret_name, double *ret_pct) {
    const struct {
        double pct;
        const char *name;
    } shares[] = {{p->sm_pct, "SM throughput"},
                  {p->tensor_pct, "tensor pipe"},
                  {p->issue_pct, "issue slots"},
                  {p->dram_pct, "DRAM"},
                  {p->l2_pct, "L2"},
                  {p->l1_pct, "L1"},
                  {p->occupancy_pct, "occupancy"},
                  {p->local_pct, "local memory"},
                  {p->stall_pct, "stalls"}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) {
        if (!(shares[i].pct > thresholds.accounting_pct)) continue;
        *ret_name = shares[i].name;
        *ret_pct = shares[i].pct;
        return true;
    }
    return false;
}

static void decide(struct diagnosis *d, enum bottleneck bottleneck, const char *because) {
    d->bottleneck = bottleneck;
    d->because = because;
}

// Neither compute nor memory is busy.
static void decide_latency(const struct profile *p, const char *shares, struct diagnosis *d,
                           struct arena *arena) {
    if (p->waves < 1)
        decide(d, BOTTLENECK_SMALL_GRID,
               arena_format(arena, "%s, both under %g %%; %.2g waves of blocks, fewer than one", shares,
                            thresholds.busy_pct, p->waves));
    else if (p->duration_ns < thresholds.short_ns)
        decide(d, BOTTLENECK_LAUNCH_OR_LATENCY,
               arena_format(arena, "%s, both under %g %%; shorter than %g us", shares, thresholds.busy_pct,
                            thresholds.short_ns / 1e3));
    else if (isfinite(p->waves) || isfinite(p->duration_ns))
        decide(d, BOTTLENECK_LATENCY,
               arena_format(arena, "%s, both under %g %%", shares, thresholds.busy_pct));
    else
        decide(d, BOTTLENECK_MIXED,
               arena_format(arena, "%s, both under %g %%; neither waves nor duration are known", shares,
                            thresholds.busy_pct));
}

static void decide_leaning(const struct busiest *compute, const struct busiest *memory, const char *shares,
                           struct diagnosis *d, struct arena *arena) {
    const double lead = compute->pct - memory->pct;
    if (compute->pct >= thresholds.saturated_pct || memory->pct >= thresholds.saturated_pct) {
        const bool is_compute = !(memory->pct > compute->pct);
        decide(d, is_compute ? BOTTLENECK_COMPUTE : BOTTLENECK_MEMORY,
               arena_format(arena, "%s; %s at %g %% or more", shares,
                            is_compute ? compute->unit : memory->unit, thresholds.saturated_pct));
    } else {
        decide(d,
               lead >= thresholds.lean_pct    ? BOTTLENECK_LEANS_COMPUTE
               : lead <= -thresholds.lean_pct ? BOTTLENECK_LEANS_MEMORY
                                              : BOTTLENECK_BALANCED,
               arena_format(arena, "%s; apart by %.0f points, of %g that count", shares, fabs(lead),
                            thresholds.lean_pct));
    }
}

static void classify(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    const struct busiest compute = compute_of(p), memory = memory_of(p);
    const char *wrong = NULL;
    double pct = 0;
    const char *shares =
        arena_format(arena, "%s %.1f %%, %s %.1f %%", compute.unit, compute.pct, memory.unit, memory.pct);
    if (exceeds_all(p, &wrong, &pct))
        decide(d, BOTTLENECK_ACCOUNTING_ERROR,
               arena_format(
                   arena,
                   "%s is %.1f %%, more than all (threshold %g %%): a peak of another precision or of sparse "
                   "operands, bytes counted twice, or figures of different launches",
                   wrong, pct, thresholds.accounting_pct));
    else if (p->local_pct > thresholds.spill_pct)
        decide(d, BOTTLENECK_REGISTER_SPILL,
               arena_format(arena, "%.1f %% of the instructions access local memory (threshold %g %%)",
                            p->local_pct, thresholds.spill_pct));
    else if (isnan(compute.pct) || isnan(memory.pct))
        decide(d, BOTTLENECK_UNKNOWN, "the report has no throughput of SM and memory");
    else if (p->dram_pct > thresholds.dram_bound_pct)
        decide(d, BOTTLENECK_MEMORY,
               arena_format(arena, "DRAM %.1f %% (threshold %g %%)", p->dram_pct, thresholds.dram_bound_pct));
    else if (p->tensor_pct > thresholds.tensor_bound_pct)
        decide(d, BOTTLENECK_COMPUTE,
               arena_format(arena, "tensor pipe %.1f %% (threshold %g %%), DRAM %.1f %% (threshold %g %%)",
                            p->tensor_pct, thresholds.tensor_bound_pct, p->dram_pct,
                            thresholds.dram_bound_pct));
    else if (compute.pct < thresholds.busy_pct && memory.pct < thresholds.busy_pct)
        decide_latency(p, shares, d, arena);
    else
        decide_leaning(&compute, &memory, shares, d, arena);
}

// ---- hypotheses ----

// A part of a sentence; nothing where the value is not known. format: of one double.
static const char *if_known(struct arena *arena, double value, const char *before, const char *after) {
    return isnan(value) ? "" : arena_format(arena, "%s%.0f%s", before, value, after);
}

void diagnosis_suppose(struct diagnosis *d, double gain, const char *text, const char *metric,
                       const char *test) {
    if (d->hypothesis_count < FINDINGS_MAX)
        d->hypotheses[d->hypothesis_count++] = (struct hypothesis){text, metric, test, gain};
}

void diagnosis_note(struct diagnosis *d, const char *text) {
    if (d->note_count < FINDINGS_MAX) d->notes[d->note_count++] = text;
}

// What a stall means, and how to find out.
static const struct stall_advice {
    enum profile_stall reason;
    const char *text, *test;
} stall_advices[] = {
    {STALL_LONG_SCOREBOARD, "hide the latency of global memory",
     "one stage more, or loads issued a tile earlier"},
    {STALL_SHORT_SCOREBOARD, "hide the latency of shared memory", "load fragments one step ahead"},
    {STALL_MIO_THROTTLE, "fewer shared memory instructions", "wider accesses (ldmatrix .x4, 16 bytes)"},
    {STALL_LG_THROTTLE, "fewer, wider global accesses", "16-byte loads, or bulk copies"},
    {STALL_BARRIER, "fewer or cheaper barriers", "remove one barrier, or synchronise fewer warps (mbarrier)"},
    {STALL_MEMBAR, "fewer memory fences", "a fence of narrower scope"},
    {STALL_MATH_PIPE_THROTTLE, "balance the arithmetic pipes", "move work to an idle pipe"},
    {STALL_WAIT, "shorten chains of dependent instructions",
     "more independent work a warp: unroll, two tiles"},
    {STALL_GMMA, "overlap matrix instructions with other work",
     "a second warpgroup, or wait one group later"},
    {STALL_NO_INSTRUCTION, "make the code fit the instruction cache", "unroll less; smaller epilogue"},
    {STALL_BRANCH_RESOLVING, "fewer branches", "predicate, or unroll"},
    {STALL_IMC_MISS, "fewer constant operands", "keep them in registers"},
    {STALL_SLEEPING, "spin or wait less", "wait on a barrier instead of sleeping"},
};

static void suppose_stalls(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    if (p->issue_pct >= thresholds.saturated_pct) return;
    for (size_t i = 0; i < sizeof stall_advices / sizeof *stall_advices; ++i) {
        const struct stall_advice *advice = &stall_advices[i];
        const double pct = p->stalls_pct[advice->reason];
        if (!(pct > thresholds.stall_pct)) continue;
        diagnosis_suppose(d, pct < 100 ? 1 / (1 - pct / 100) : NAN, advice->text,
                          arena_format(arena, "%s %.0f %% of the latency (threshold %g %%)%s",
                                       profile_stall_name(advice->reason), pct, thresholds.stall_pct,
                                       if_known(arena, p->issue_pct, ", issue ", " %")),
                          advice->test);
    }
}

static void suppose_pipes(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    if (d->bottleneck == BOTTLENECK_COMPUTE && p->tensor_pct < thresholds.saturated_pct &&
        p->tensor_pct > thresholds.tensor_unused_pct)
        diagnosis_suppose(
            d, thresholds.saturated_pct / p->tensor_pct, "raise tensor pipe activity",
            arena_format(arena, "tensor pipe %.0f %% -> %g %%", p->tensor_pct, thresholds.saturated_pct),
            "larger tiles a warp, or more of the softmax overlapped with matrix instructions");
    if (p->tensor_pct < thresholds.tensor_unused_pct && p->sm_pct > thresholds.busy_pct)
        diagnosis_suppose(d, NAN, "use matrix instructions, where it multiplies matrices",
                          arena_format(arena, "tensor pipe %.1f %% (threshold %g %%), SM %.0f %%",
                                       p->tensor_pct, thresholds.tensor_unused_pct, p->sm_pct),
                          "mma.sync or wgmma in place of FMA");
    if (d->bottleneck == BOTTLENECK_MEMORY && p->dram_pct > thresholds.dram_bound_pct)
        diagnosis_suppose(d, p->dram_pct / thresholds.dram_bound_pct, "move fewer bytes from DRAM",
                          arena_format(arena, "DRAM %.0f %% -> %g %%%s", p->dram_pct,
                                       thresholds.dram_bound_pct,
                                       if_known(arena, p->l2_hit_pct, ", L2 hits ", " %")),
                          "larger tiles, an order of blocks that shares operands, a narrower type");
    else if (d->bottleneck == BOTTLENECK_MEMORY)
        diagnosis_suppose(d, p->l2_pct / thresholds.busy_pct, "move fewer bytes from L2",
                          arena_format(arena, "L2 %.0f %% -> %g %%", p->l2_pct, thresholds.busy_pct),
                          "larger tiles, or operands multicast within a cluster");
}

static void suppose_access(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    if (p->local_pct > 0)
        diagnosis_suppose(
            d, p->local_pct > thresholds.spill_pct ? 1 / (1 - fmin(p->local_pct, 90) / 100) : NAN,
            "keep values in registers",
            arena_format(arena, "%.2f %% of the instructions access local memory (threshold %g %%)%s",
                         p->local_pct, thresholds.spill_pct,
                         if_known(arena, p->registers, ", ", " registers")),
            "a smaller tile a thread, fewer stages, or __launch_bounds__ with fewer blocks");
    if (p->bytes_per_sector_pct < thresholds.sector_pct)
        diagnosis_suppose(d, fmin(100 / p->bytes_per_sector_pct, 8), "coalesce global loads",
                          arena_format(arena, "%.0f %% of each sector is used (threshold %g %%)",
                                       p->bytes_per_sector_pct, thresholds.sector_pct),
                          "neighbouring threads load neighbouring addresses");
    if (p->bank_conflict_pct > thresholds.conflict_pct)
        diagnosis_suppose(d, 1 / (1 - fmin(p->bank_conflict_pct, 90) / 100), "avoid bank conflicts",
                          arena_format(arena, "%.0f %% of the shared memory wavefronts (threshold %g %%)",
                                       p->bank_conflict_pct, thresholds.conflict_pct),
                          "swizzle, or pad a row by 16 bytes");
    if (p->threads_per_instruction < thresholds.threads_min)
        diagnosis_suppose(d, 32 / p->threads_per_instruction, "let all threads of a warp take part",
                          arena_format(arena, "%.1f of 32 threads (threshold %g)", p->threads_per_instruction,
                                       thresholds.threads_min),
                          "branch by warp, not by thread");
}

// Warpgroups with roles of their own, one that loads and others that multiply: warps that wait for a wgmma
// are only in kernels that use it, and three warpgroups a block have no other use there.
static bool is_warp_specialised(const struct profile *p) {
    return p->stalls_pct[STALL_GMMA] > 0 && p->block_threads >= SPECIALISED_THREADS;
}

static void suppose_grid(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    const double last = p->waves - floor(p->waves), cost = last > 0 ? (1 - last) / ceil(p->waves) : 0;
    if (d->bottleneck == BOTTLENECK_SMALL_GRID)
        diagnosis_suppose(d, 1 / p->waves, "more blocks",
                          arena_format(arena, "%.2g waves of blocks", p->waves),
                          "smaller tiles, or split the longest loop");
    else if (p->waves > 1 && 100 * cost >= thresholds.tail_pct)
        diagnosis_suppose(
            d, 1 / (1 - cost), "fill the last wave of blocks",
            arena_format(arena,
                         "%.2f waves: %.0f %% of the time is the last one's idle part (threshold %g %%)",
                         p->waves, 100 * cost, thresholds.tail_pct),
            "another tile size, or persistent blocks");
    const bool is_idle =
        !(compute_of(p).pct >= thresholds.busy_pct) && !(memory_of(p).pct >= thresholds.busy_pct);
    if (is_idle && p->issue_pct < thresholds.busy_pct && p->occupancy_max_pct < thresholds.saturated_pct &&
        d->bottleneck != BOTTLENECK_COMPUTE && d->bottleneck != BOTTLENECK_SMALL_GRID &&
        !is_warp_specialised(p))
        diagnosis_suppose(
            d, NAN, "more warps at once",
            arena_format(arena, "occupancy %.0f %%, allowed %.0f %%; nothing is %g %% busy, issue %.0f %%",
                         p->occupancy_pct, p->occupancy_max_pct, thresholds.busy_pct, p->issue_pct),
            "fewer registers or less shared memory a block");
}

static void add_notes(const struct profile *p, struct diagnosis *d, struct arena *arena) {
    const bool is_cleared = d->bottleneck == BOTTLENECK_COMPUTE || d->bottleneck == BOTTLENECK_LEANS_COMPUTE;
    if (is_cleared && p->dram_pct < thresholds.dram_bound_pct)
        diagnosis_note(d, arena_format(arena, "memory is not the limit: DRAM %.0f %% (threshold %g %%)%s",
                                       p->dram_pct, thresholds.dram_bound_pct,
                                       if_known(arena, p->l2_hit_pct, ", L2 hits ", " %")));
    if (!is_cleared && is_warp_specialised(p))
        diagnosis_note(d, arena_format(arena,
                                       "%.0f threads a block that wait for wgmma: warpgroups with "
                                       "roles of their own, whose occupancy is intended",
                                       p->block_threads));
    if (is_cleared && p->occupancy_pct < thresholds.idle_pct)
        diagnosis_note(
            d, arena_format(arena, "occupancy %.0f %% is intended: few warps%s%s keep the pipe busy",
                            p->occupancy_pct, if_known(arena, p->block_threads, ", ", " threads a block"),
                            if_known(arena, p->shared_bytes / 1024, " and ", " KB of shared memory,")));
    if (p->stall_sum_pct < thresholds.stall_complete_pct)
        diagnosis_note(
            d,
            arena_format(arena, "reasons of stalls are incomplete: %.0f %% of the latency (threshold %g %%)",
                         p->stall_sum_pct, thresholds.stall_complete_pct));
    if (p->l2_hit_pct > 100 || p->l1_hit_pct > 100)
        diagnosis_note(d,
                       arena_format(arena, "%s hits %.0f %%: passes over the counters found different caches",
                                    p->l2_hit_pct > 100 ? "L2" : "L1",
                                    p->l2_hit_pct > 100 ? p->l2_hit_pct : p->l1_hit_pct));
    if (p->duration_ns < thresholds.unreliable_ns)
        diagnosis_note(d, arena_format(arena, "shorter than %g us: counters say little",
                                       thresholds.unreliable_ns / 1e3));
    if (p->clock_spread_pct > thresholds.clock_spread_pct)
        diagnosis_note(
            d,
            arena_format(arena,
                         "the clock differed by %.1f %% between passes (threshold %g %%): rates and shares "
                         "of time are unreliable",
                         p->clock_spread_pct, thresholds.clock_spread_pct));
}

void diagnosis_sort(struct diagnosis *d) {
    for (size_t i = 1; i < d->hypothesis_count; ++i)
        for (size_t k = i; k > 0; --k) {
            struct hypothesis *a = &d->hypotheses[k - 1], *b = &d->hypotheses[k], swap = *a;
            if (!(b->gain > a->gain) && !(isfinite(b->gain) && isnan(a->gain))) break;
            *a = *b;
            *b = swap;
        }
}

struct diagnosis profile_diagnose(const struct profile *profile, struct arena *arena) {
    struct diagnosis d = {.is_unreliable = profile->duration_ns < thresholds.unreliable_ns ||
                                           profile->clock_spread_pct > thresholds.clock_spread_pct};
    classify(profile, &d, arena);
    if (d.bottleneck != BOTTLENECK_ACCOUNTING_ERROR && d.bottleneck != BOTTLENECK_UNKNOWN) {
        suppose_pipes(profile, &d, arena);
        suppose_stalls(profile, &d, arena);
        suppose_access(profile, &d, arena);
        suppose_grid(profile, &d, arena);
        diagnosis_sort(&d);
    }
    add_notes(profile, &d, arena);
    return d;
}

// ---- as a document ----

static void notes_write(struct json_writer *w, const struct member *member, const void *object,
                        const void *context) {
    const struct diagnosis *d = object;
    (void)context;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < d->note_count; ++i) json_write_string(w, NULL, d->notes[i]);
    json_array_end(w);
}

static const struct member hypothesis_list[] = {
    MEMBER(struct hypothesis, "text", text, "What would help."),
    MEMBER(struct hypothesis, "metric", metric, "The number that speaks for it, and its threshold."),
    MEMBER(struct hypothesis, "test", test, "How to find out."),
    MEMBER(struct hypothesis, "gain", gain, "At most so many times as fast."),
};
static const struct member_table hypothesis_members =
    MEMBER_TABLE(struct hypothesis, "hypothesis", hypothesis_list, );
static const struct member diagnosis_list[] = {
    MEMBER_NAMED(struct diagnosis, "bottleneck", bottleneck, names, "Class of the bottleneck.",
                 MEMBER_WRITTEN | MEMBER_ZERO_NAMED),
    MEMBER(struct diagnosis, "because", because, "The numbers that decide."),
    MEMBER(struct diagnosis, "is_unreliable", is_unreliable, "Too short for counters."),
    {.key = "hypotheses",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct diagnosis, hypotheses),
     MEMBER_COUNT(struct diagnosis, hypothesis_count),
     .table = &hypothesis_members,
     .is_inline = true,
     .limit = FINDINGS_MAX,
     .flags = MEMBER_WRITTEN,
     .sentence = "The largest gain first."},
    MEMBER_WITH("notes", notes_write, NULL, "What is cleared, or intended.",
                .schema = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"),
};
const struct member_table diagnosis_members = MEMBER_TABLE(struct diagnosis, "diagnosis", diagnosis_list, );
