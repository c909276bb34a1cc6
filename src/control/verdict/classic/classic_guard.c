// SPDX-License-Identifier: Apache-2.0
//
// May two results be compared at all? Device, driver, clock policy, power mode, cache mode, threads, kind of
// time, throttling, clock probes, ceilings. Unknown is not same: a fingerprint that one file does not state
// refuses like one that differs.
#include "control/verdict/classic/classic_guard.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "control/verdict/decision_make.h"
#include "control/verdict/summary.h"
#include "stats/describe.h"

#define NOT_A_TEXT SIZE_MAX

// Fingerprints that must agree, and what lets a difference through.
static const struct {
    const char *name, *words;
    enum classic_allow bit;
    enum reason reason;
    size_t offset; // of the string in struct environment; NOT_A_TEXT: thread_count
} fingerprints[] = {
    {"device", "device", CLASSIC_ALLOW_DEVICE, REASON_DIFFERENT_DEVICE,
     offsetof(struct environment, device_uuid)},
    {"driver", "driver", CLASSIC_ALLOW_DRIVER, REASON_DIFFERENT_DEVICE, offsetof(struct environment, driver)},
    {"clock_policy", "clock policy", CLASSIC_ALLOW_CLOCK_POLICY, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, clock_policy)},
    {"regime", "regime", CLASSIC_ALLOW_POWER_MODE, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, power_mode)},
    {"cache_mode", "cache mode", CLASSIC_ALLOW_CACHE_MODE, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, cache_mode)},
    {"threads", "number of threads", CLASSIC_ALLOW_THREADS, REASON_DIFFERENT_SETTINGS, NOT_A_TEXT},
};
#define FINGERPRINT_COUNT (sizeof fingerprints / sizeof *fingerprints)

int classic_allow_parse(const char *list, uint32_t *ret_bits, struct err *err) {
    uint32_t bits = 0;
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        uint32_t bit = length == 7 && !memcmp(at, "problem", 7) ? CLASSIC_ALLOW_PROBLEM : 0;
        for (size_t i = 0; i < FINGERPRINT_COUNT; ++i)
            if (length == strlen(fingerprints[i].name) && !memcmp(at, fingerprints[i].name, length))
                bit = (uint32_t)fingerprints[i].bit;
        if (!bit)
            return err_set(
                err, ERR_USAGE,
                "cannot allow a different '%.*s'; there is problem, device, driver, clock_policy, regime, "
                "cache_mode, threads",
                (int)length, at);
        bits |= bit;
        at = comma ? comma + 1 : NULL;
    }
    *ret_bits = bits;
    return 0;
}

static const char *fingerprint_of(const struct result *result, size_t index, struct arena *arena) {
    const char *text;
    if (fingerprints[index].offset == NOT_A_TEXT) {
        int64_t count = result->environment.thread_count;
        return count > 0 ? arena_format(arena, "%" PRId64, count) : NULL;
    }
    memcpy(&text, (const char *)&result->environment + fingerprints[index].offset, sizeof text);
    return text && *text ? text : NULL;
}

// What two files of one foreign format never say cannot be held against them; it is said once instead.
static void note_unstated(const struct result *base, const struct strbuf *unstated, struct arena *arena,
                          struct decision *decision) {
    const char *device = base->environment.device_uuid ? "the device is compared by its name" : "";
    if (!unstated->length && !*device) return;
    const char *what = unstated->length ? arena_format(arena, "%s files do not state %s: not checked",
                                                       base->external_format, strbuf_text(unstated))
                                        : "";
    decision_note(decision, arena, "%s%s%s", what, *what && *device ? "; " : "", device);
}

// Files that state the threads of each benchmark are held against each other benchmark by benchmark.
static bool has_case_threads(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i)
        if (result->cases[i].external_thread_count > 0) return true;
    return false;
}

struct classic_refusal classic_guard_files(const struct result *base, const struct result *cand,
                                           const struct classic_options *options, struct arena *arena,
                                           struct decision *decision) {
    struct classic_refusal ret = {0};
    struct strbuf unstated = {0};
    bool is_external = base->external_format && str_equal(base->external_format, cand->external_format);
    bool has_threads = has_case_threads(base) || has_case_threads(cand);
    for (size_t i = 0; i < FINGERPRINT_COUNT; ++i) {
        const char *a = fingerprint_of(base, i, arena), *b = fingerprint_of(cand, i, arena);
        if (a && b && str_equal(a, b)) continue;
        if (fingerprints[i].bit == CLASSIC_ALLOW_THREADS && has_threads) continue;
        if (is_external && !a && !b) {
            strbuf_addf(&unstated, "%s%s", unstated.length ? ", " : "", fingerprints[i].words);
            continue;
        }
        const char *what = arena_format(arena, "%s: baseline %s, candidate %s", fingerprints[i].words,
                                        a ? a : "not recorded", b ? b : "not recorded");
        if (options->allowed & (uint32_t)fingerprints[i].bit) {
            decision_note(decision, arena, "difference let through: %s", what);
        } else if (ret.reason == REASON_NONE) {
            ret.reason = fingerprints[i].reason;
            ret.sentence =
                arena_format(arena, "not comparable, another %s (--allow-different %s lets it through)", what,
                             fingerprints[i].name);
        }
    }
    if (is_external) note_unstated(base, &unstated, arena, decision);
    strbuf_fini(&unstated);
    return ret;
}

// Share of a side's samples that were thrown away as throttled; 0 with no samples.
static double throttled_pct(const struct result_case *item, uint32_t side) {
    size_t all = 0, throttled = 0;
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (!item->rounds[r].is_valid) continue;
        for (size_t i = 0; i < samples->count; ++i) {
            enum discard discard = samples->items[i].discard;
            if (discard == DISCARD_FIRST_PAIR || discard == DISCARD_AUDIT) continue;
            ++all;
            throttled += discard == DISCARD_THROTTLED;
        }
    }
    return all ? 100 * (double)throttled / (double)all : 0;
}

double classic_median_clock_hz(const struct result_case *item, uint32_t side) {
    size_t capacity = 0, count = 0;
    for (size_t r = 0; r < item->round_count; ++r) capacity += item->rounds[r].samples[side].count;
    if (!capacity) return NAN;
    double *clocks = mem_alloc(capacity * sizeof *clocks);
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (!item->rounds[r].is_valid) continue;
        for (size_t i = 0; i < samples->count; ++i) {
            const struct sample *sample = &samples->items[i];
            if (sample->discard == DISCARD_NONE && isfinite(sample->clock_hz) && sample->clock_hz > 0)
                clocks[count++] = sample->clock_hz;
        }
    }
    double median = describe_unsorted_median(clocks, count);
    free(clocks);
    return median;
}

double classic_clock_gap_pct(double base_hz, double cand_hz) {
    return 100 * fabs(base_hz - cand_hz) / fmin(base_hz, cand_hz);
}

static void guard_problem(const struct classic_pair *pair, const struct classic_options *options,
                          struct arena *arena, struct decision_case *ret) {
    const char *a = pair->base_case->problem.name, *b = pair->cand_case->problem.name;
    const char *fa = pair->base_case->distribution, *fb = pair->cand_case->distribution;
    bool is_same = str_equal(a, b) && str_equal(fa, fb) &&
                   pair->base_case->memory_layout == pair->cand_case->memory_layout;
    // The short name of a foreign benchmark is its name but for the number of the device.
    bool is_external = pair->base.result->external_format && pair->cand.result->external_format;
    if (is_same || is_external || (options->allowed & CLASSIC_ALLOW_PROBLEM)) return;
    decision_case_guard(
        ret, REASON_DIFFERENT_SETTINGS,
        arena_format(arena,
                     "not the same problem: baseline %s with %s inputs, candidate %s with %s inputs "
                     "(--allow-different problem lets it through)",
                     a, fa ? fa : "unknown", b, fb ? fb : "unknown"));
}

// What a foreign file could not be read as: bad times, no raw samples, an error of the benchmark.
static void guard_usable(const struct classic_pair *pair, struct arena *arena, struct decision_case *ret) {
    bool is_base = pair->base_case->unusable_reason != REASON_NONE;
    const struct result_case *item = is_base ? pair->base_case : pair->cand_case;
    if (item->unusable_reason == REASON_NONE) return;
    decision_case_guard(
        ret, item->unusable_reason,
        arena_format(arena, "%s: %s", is_base ? "baseline" : "candidate", item->unusable_text));
}

// What a foreign file says of one benchmark alone: its threads, and whether the processor or the GPU took the
// time.
static void guard_external(const struct classic_pair *pair, const struct classic_options *options,
                           struct arena *arena, struct decision_case *ret) {
    int64_t a = pair->base_case->external_thread_count, b = pair->cand_case->external_thread_count;
    const char *base_kind = pair->base_case->time_kind, *cand_kind = pair->cand_case->time_kind;
    if (base_kind && cand_kind && !str_equal(base_kind, cand_kind))
        decision_case_guard(ret, REASON_DIFFERENT_SETTINGS,
                            arena_format(arena, "not comparable: the baseline has %s and the candidate %s",
                                         base_kind, cand_kind));
    if (a == b || (options->allowed & CLASSIC_ALLOW_THREADS)) return;
    const char *texts[2];
    for (size_t i = 0; i < 2; ++i) {
        int64_t count = i ? b : a;
        texts[i] = count > 0 ? arena_format(arena, "%" PRId64, count) : "not recorded";
    }
    decision_case_guard(ret, REASON_DIFFERENT_SETTINGS,
                        arena_format(arena,
                                     "not comparable, another number of threads: baseline %s, candidate %s "
                                     "(--allow-different threads lets it through)",
                                     texts[0], texts[1]));
}

// assay reads a clock beside the samples, under nothing: where it differs, so did the machine. Another tool's
// clock is the one that the kernel itself ran at, and belongs to the result (classic_files.c says it).
static void guard_clocks(const struct classic_pair *pair, struct arena *arena, struct decision_case *ret) {
    if (pair->base.result->external_format || pair->cand.result->external_format) return;
    double base_hz = classic_median_clock_hz(pair->base_case, pair->base.side);
    double cand_hz = classic_median_clock_hz(pair->cand_case, pair->cand.side);
    double gap_pct = classic_clock_gap_pct(base_hz, cand_hz);
    if (gap_pct > CLOCKS_APART_MAX_PCT)
        decision_case_guard(
            ret, REASON_CLOCKS_APART,
            arena_format(arena,
                         "the clock was %.0f MHz beside the baseline and %.0f MHz beside the candidate, "
                         "%.1f %% apart; %.0f %% are allowed",
                         base_hz / 1e6, cand_hz / 1e6, gap_pct, CLOCKS_APART_MAX_PCT));
}

void classic_guard_state(const struct classic_pair *pair, const struct classic_options *options,
                         struct arena *arena, struct decision_case *ret) {
    guard_problem(pair, options, arena, ret);
    guard_usable(pair, arena, ret);
    guard_external(pair, options, arena, ret);
    double base_pct = throttled_pct(pair->base_case, pair->base.side);
    double cand_pct = throttled_pct(pair->cand_case, pair->cand.side);
    if (base_pct > CLASSIC_THROTTLED_PCT || cand_pct > CLASSIC_THROTTLED_PCT) {
        bool is_base = base_pct > CLASSIC_THROTTLED_PCT;
        decision_case_guard(
            ret, REASON_THROTTLED,
            arena_format(arena, "%.1f %% of the samples of the %s were throttled; %.0f %% are allowed",
                         is_base ? base_pct : cand_pct, is_base ? "baseline" : "candidate",
                         CLASSIC_THROTTLED_PCT));
    }
    guard_clocks(pair, arena, ret);
}

// work per ns is giga-work per second.
static void guard_rate(double work, double median_ns, double ceiling, const char *what, struct arena *arena,
                       struct decision_case *ret) {
    double rate = work / median_ns;
    if (!(rate > SUMMARY_CEILING_RATIO * ceiling)) return;
    decision_case_guard(
        ret, REASON_ACCOUNTING_ERROR,
        arena_format(arena,
                     "%.1f %s are above the measured ceiling of %.1f: the work or the time is "
                     "accounted wrongly",
                     rate, what, ceiling));
}

static void guard_side(const struct classic_side *side, const struct result_case *item, double median_ns,
                       const struct classic_options *options, struct arena *arena,
                       struct decision_case *ret) {
    const struct environment *environment = &side->result->environment;
    double gflop = isfinite(options->ceiling_gflop_per_s) ? options->ceiling_gflop_per_s
                                                          : environment->ceiling_gflop_per_s;
    double gb =
        isfinite(options->ceiling_gb_per_s) ? options->ceiling_gb_per_s : environment->ceiling_gb_per_s;
    guard_rate(problem_flops(&item->problem), median_ns, gflop, "GFLOP/s", arena, ret);
    // A cache may well deliver compulsory bytes faster than memory does.
    if (summary_has_byte_ceiling(environment))
        guard_rate(problem_bytes(&item->problem), median_ns, gb, "GB/s", arena, ret);
}

void classic_guard_ceilings(const struct classic_pair *pair, const struct classic_options *options,
                            struct arena *arena, struct decision_case *ret) {
    guard_side(&pair->base, pair->base_case, ret->median_base_ns, options, arena, ret);
    guard_side(&pair->cand, pair->cand_case, ret->median_cand_ns, options, arena, ret);
}
