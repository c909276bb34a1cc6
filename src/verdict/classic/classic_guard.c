// SPDX-License-Identifier: Apache-2.0
//
// Guards: may these two results be compared? Device, driver, clock policy, power mode, cache mode, threads,
// kind of time, throttling, clock probes, ceilings. A fingerprint that one file does not state counts as a
// difference.
#include "verdict/classic/classic_guard.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "stats/describe.h"
#include "verdict/decision_make.h"
#include "verdict/problem_ceilings.h"
#include "verdict/summary.h"

#define NOT_A_TEXT SIZE_MAX

// Fingerprints that must agree, and the option bit that lets a difference through (none: nothing does).
static const struct {
    const char *name, *words;
    enum classic_allow bit;
    enum reason reason;
    size_t offset; // of the string in struct environment; NOT_A_TEXT: thread_count
    // What it is where it is not recorded; NULL: not known. Both without such a one are alike.
    const char *absent;
} fingerprints[] = {
    {"device", "device", CLASSIC_ALLOW_DEVICE, REASON_DIFFERENT_DEVICE,
     offsetof(struct environment, device_uuid), NULL},
    {"driver", "driver", CLASSIC_ALLOW_DRIVER, REASON_DIFFERENT_DEVICE, offsetof(struct environment, driver),
     NULL},
    {"clock_policy", "clock policy", CLASSIC_ALLOW_CLOCK_POLICY, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, clock_policy), NULL},
    {"power_mode", "power mode", CLASSIC_ALLOW_POWER_MODE, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, power_mode), NULL},
    {"cache_mode", "cache mode", CLASSIC_ALLOW_CACHE_MODE, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, cache_mode), NULL},
    {"threads", "number of threads", CLASSIC_ALLOW_THREADS, REASON_DIFFERENT_SETTINGS, NOT_A_TEXT, NULL},
    {"busy_limit", "limit of what others may take", CLASSIC_ALLOW_BUSY_LIMIT, REASON_DIFFERENT_SETTINGS,
     offsetof(struct environment, busy_limit), "none given"},
    {"metric", "metric", CLASSIC_ALLOW_NONE, REASON_DIFFERENT_SETTINGS, offsetof(struct environment, metric),
     "time"},
};
#define FINGERPRINT_COUNT (sizeof fingerprints / sizeof *fingerprints)

int classic_allow_parse(const char *list, uint32_t *ret_bits, struct err *err) {
    struct comma_item name;
    *ret_bits = 0;
    for (const char *at = list; comma_next(&at, &name);) {
        uint32_t bit = comma_item_is(name, "problem")  ? CLASSIC_ALLOW_PROBLEM
                       : comma_item_is(name, "regime") ? CLASSIC_ALLOW_POWER_MODE // a former name
                                                       : 0;
        for (size_t i = 0; i < FINGERPRINT_COUNT; ++i)
            if (comma_item_is(name, fingerprints[i].name)) bit = (uint32_t)fingerprints[i].bit;
        if (!bit)
            return err_set(err, ERR_USAGE,
                           "cannot allow a different '%.*s'; there is problem, device, driver, clock_policy, "
                           "power_mode, cache_mode, threads, busy_limit",
                           (int)name.length, name.text);
        *ret_bits |= bit;
    }
    return 0;
}

static const char *count_text(int64_t count, struct arena *arena) {
    return count > 0 ? arena_format(arena, "%" PRId64, count) : "not recorded";
}

// The text of a fingerprint; NULL: not recorded.
static const char *fingerprint_of(const struct result *result, size_t index, struct arena *arena) {
    const char *text;
    if (fingerprints[index].offset == NOT_A_TEXT) {
        int64_t count = result->environment.thread_count;
        return count > 0 ? count_text(count, arena) : NULL;
    }
    memcpy(&text, (const char *)&result->environment + fingerprints[index].offset, sizeof text);
    return text && *text ? text : NULL;
}

// What a value is called: a processor's driver is the operating system's kernel.
static const char *words_of(size_t index, const char *value) {
    const bool is_kernel =
        fingerprints[index].bit == CLASSIC_ALLOW_DRIVER && str_starts(str_or(value, ""), "Linux ");
    return is_kernel ? "kernel of the system" : fingerprints[index].words;
}

struct classic_refusal classic_guard_files(const struct result *base, const struct result *cand,
                                           const struct classic_options *options, struct arena *arena,
                                           struct decision *decision) {
    struct classic_refusal ret = {0};
    struct strbuf unstated = {0};
    bool is_external = base->external_format && str_equal(base->external_format, cand->external_format);
    bool has_threads = false; // of each benchmark: guard_alike() compares them
    for (size_t i = 0; i < base->case_count; ++i) has_threads |= base->cases[i].external_thread_count > 0;
    for (size_t i = 0; i < cand->case_count; ++i) has_threads |= cand->cases[i].external_thread_count > 0;
    for (size_t i = 0; i < FINGERPRINT_COUNT; ++i) {
        const char *a = fingerprint_of(base, i, arena), *b = fingerprint_of(cand, i, arena);
        if (a && b && str_equal(a, b)) continue;
        if (fingerprints[i].bit == CLASSIC_ALLOW_THREADS && has_threads) continue;
        if (fingerprints[i].absent && !a && !b) continue;
        const bool is_of_hosts = fingerprints[i].bit == CLASSIC_ALLOW_THREADS; // a GPU records none
        if (is_of_hosts && !a && !b && base->environment.is_accelerator && cand->environment.is_accelerator)
            continue;
        if (is_external && !a && !b) {
            comma_add(&unstated, fingerprints[i].words);
            continue;
        }
        const char *absent = str_or(fingerprints[i].absent, "not recorded");
        const char *what = arena_format(arena, "%s: baseline %s, candidate %s", words_of(i, a ? a : b),
                                        a ? a : absent, b ? b : absent);
        if (options->allowed & (uint32_t)fingerprints[i].bit) {
            decision_note(decision, arena, "difference let through: %s", what);
        } else if (ret.reason == REASON_NONE) {
            ret.reason = fingerprints[i].reason;
            ret.sentence =
                fingerprints[i].bit
                    ? arena_format(arena, "not comparable, another %s (--allow-different %s lets it through)",
                                   what, fingerprints[i].name)
                    : arena_format(arena, "not comparable, another %s", what);
        }
    }
    // Two files of one external format are not rejected for a fingerprint that neither states; a note says so
    // once.
    const char *device = base->environment.device_uuid ? "the device is compared by its name" : "";
    if (unstated.length)
        decision_note(decision, arena, "%s files do not state %s: not checked%s%s", base->external_format,
                      strbuf_text(&unstated), *device ? "; " : "", device);
    else if (is_external && *device)
        decision_note(decision, arena, "%s", device);
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

// Median of a clock of the samples that count; offset: of the clock in struct sample. NAN if none was read.
static double median_clock_hz(const struct result_case *item, uint32_t side, size_t offset) {
    size_t capacity = 0, count = 0;
    for (size_t r = 0; r < item->round_count; ++r) capacity += item->rounds[r].samples[side].count;
    if (!capacity) return NAN;
    double *clocks = mem_alloc(capacity * sizeof *clocks);
    for (size_t r = 0; r < item->round_count; ++r) {
        const struct samples *samples = &item->rounds[r].samples[side];
        if (!item->rounds[r].is_valid) continue;
        for (size_t i = 0; i < samples->count; ++i) {
            double hz;
            memcpy(&hz, (const char *)&samples->items[i] + offset, sizeof hz);
            if (samples->items[i].discard == DISCARD_NONE && isfinite(hz) && hz > 0) clocks[count++] = hz;
        }
    }
    double median = describe_unsorted_median(clocks, count);
    free(clocks);
    return median;
}

double classic_median_clock_hz(const struct result_case *item, uint32_t side) {
    return median_clock_hz(item, side, offsetof(struct sample, clock_hz));
}

double classic_clock_gap_pct(double base_hz, double cand_hz) {
    return 100 * fabs(base_hz - cand_hz) / fmin(base_hz, cand_hz);
}

// The problem must be the same and, for external files, each benchmark's kind of time (processor or GPU) and
// number of threads.
static void guard_alike(const struct classic_pair *pair, const struct classic_options *options,
                        struct arena *arena, struct decision_case *ret) {
    const struct result_case *base = pair->base_case, *cand = pair->cand_case;
    bool is_same = str_equal(base->problem.name, cand->problem.name) &&
                   str_equal(base->distribution, cand->distribution) &&
                   base->memory_layout == cand->memory_layout;
    // An external benchmark's short name is its name without the number of the device.
    bool is_external = pair->base.result->external_format && pair->cand.result->external_format;
    if (!is_same && !is_external && !(options->allowed & CLASSIC_ALLOW_PROBLEM))
        decision_case_guard(
            ret, REASON_DIFFERENT_SETTINGS,
            arena_format(arena,
                         "not the same problem: baseline %s with %s inputs, candidate %s with %s inputs "
                         "(--allow-different problem lets it through)",
                         base->problem.name, str_or(base->distribution, "unknown"), cand->problem.name,
                         str_or(cand->distribution, "unknown")));
    const struct result_case *unusable = base->unusable_reason != REASON_NONE ? base : cand;
    if (unusable->unusable_reason != REASON_NONE) // bad times, no raw samples, an error of the benchmark
        decision_case_guard(ret, unusable->unusable_reason,
                            arena_format(arena, "%s: %s", unusable == base ? "baseline" : "candidate",
                                         unusable->unusable_text));
    if (base->time_kind && cand->time_kind && !str_equal(base->time_kind, cand->time_kind))
        decision_case_guard(ret, REASON_DIFFERENT_SETTINGS,
                            arena_format(arena, "not comparable: the baseline has %s and the candidate %s",
                                         base->time_kind, cand->time_kind));
    const int64_t a = base->external_thread_count, b = cand->external_thread_count;
    if (a == b || (options->allowed & CLASSIC_ALLOW_THREADS)) return;
    decision_case_guard(ret, REASON_DIFFERENT_SETTINGS,
                        arena_format(arena,
                                     "not comparable, another number of threads: baseline %s, candidate %s "
                                     "(--allow-different threads lets it through)",
                                     count_text(a, arena), count_text(b, arena)));
}

void classic_guard_state(const struct classic_pair *pair, const struct classic_options *options,
                         struct arena *arena, struct decision_case *ret) {
    guard_alike(pair, options, arena, ret);
    for (size_t i = 0; i < 2; ++i) {
        double pct = i ? throttled_pct(pair->cand_case, pair->cand.side)
                       : throttled_pct(pair->base_case, pair->base.side);
        if (pct > CLASSIC_THROTTLED_PCT)
            decision_case_guard(
                ret, REASON_THROTTLED,
                arena_format(arena, "%.1f %% of the samples of the %s were throttled; %.0f %% are allowed",
                             pct, i ? "candidate" : "baseline", CLASSIC_THROTTLED_PCT));
    }
    // assay's clock probe runs next to the samples, without the kernel: if the probes differ, the machine
    // differed. Another tool's clock is that of the kernel itself, and so part of the result (a note in
    // classic_files.c). In the sustained power mode the clock follows from the side's power.
    if (pair->base.result->external_format || pair->cand.result->external_format) return;
    if (str_equal(pair->cand.result->environment.power_mode, "sustained")) return;
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

// work per ns is giga-work per second.
static void guard_rate(double rate, double ceiling, bool is_memory, struct arena *arena,
                       struct decision_case *ret) {
    if (!(rate > SUMMARY_CEILING_RATIO * ceiling)) return;
    decision_case_guard(ret, REASON_ACCOUNTING_ERROR,
                        arena_format(arena,
                                     "%.1f %s are above the measured ceiling of %.1f: the work or the time "
                                     "is accounted wrongly; %s",
                                     rate, is_memory ? "GB/s" : "GFLOP/s", ceiling,
                                     is_memory ? CEILING_SUSPECTS_MEMORY : CEILING_SUSPECTS_ARITHMETIC));
}

void classic_guard_ceilings(const struct classic_pair *pair, const struct classic_options *options,
                            struct arena *arena, struct decision_case *ret) {
    for (size_t i = 0; i < 2; ++i) {
        const struct environment *environment = &(i ? &pair->cand : &pair->base)->result->environment;
        const struct result_case *item = i ? pair->cand_case : pair->base_case;
        const double median_ns = i ? ret->median_cand_ns : ret->median_base_ns;
        const double clock_hz = median_clock_hz(item, (i ? &pair->cand : &pair->base)->side,
                                                offsetof(struct sample, kernel_clock_hz));
        struct problem_ceilings at = problem_ceilings_get(environment, item->work.dtype, clock_hz);
        if (isfinite(options->ceiling_gflop_per_s)) at.gflop_per_s = options->ceiling_gflop_per_s;
        if (isfinite(options->ceiling_gb_per_s)) at.gb_per_s = options->ceiling_gb_per_s;
        guard_rate(item->work.flop_count / median_ns, at.gflop_per_s, false, arena, ret);
        // A cache may well deliver compulsory bytes faster than memory does.
        if (summary_has_byte_ceiling(environment))
            guard_rate(item->work.compulsory_bytes / median_ns, at.gb_per_s, true, arena, ret);
    }
}
