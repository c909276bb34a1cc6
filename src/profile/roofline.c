// SPDX-License-Identifier: Apache-2.0
//
// See roofline.h.
#include "profile/roofline.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "base/term.h"
#include "profile/diagnosis_internal.h"
#include "profile/thresholds.h"

enum { RATE_BYTES = 32 };

static const char *const level_names[LEVEL_COUNT] = {[LEVEL_DRAM] = "DRAM", [LEVEL_L2] = "L2"};

const char *memory_level_name(enum memory_level level) {
    return level_names[level];
}

void intensity_format(double flop_per_byte, char *ret_text, size_t capacity) {
    *ret_text = 0;
    if (isfinite(flop_per_byte))
        snprintf(ret_text, capacity, flop_per_byte >= 1000 ? "%.0f" : "%.3g", flop_per_byte);
}

// ---- points ----

struct roofline_point roofline_point_modelled(double flop, double bytes, double time_ns) {
    return (struct roofline_point){.gflop_per_s = flop / time_ns, // FLOP a ns are GFLOP a s
                                   .flop_per_byte = {[LEVEL_DRAM] = flop / bytes, [LEVEL_L2] = NAN}};
}

struct roofline_point roofline_point_counted(const struct profile *profile, double flop, double time_ns) {
    const double counted = profile->tensor_flop + profile->fma_flop;
    const double work = isfinite(counted) ? counted : flop;
    struct roofline_point point = {.gflop_per_s = work / time_ns, .has_byte_ceiling = true};
    const double bytes[LEVEL_COUNT] = {[LEVEL_DRAM] = profile->dram_bytes, [LEVEL_L2] = profile->l2_bytes};
    for (int level = 0; level < LEVEL_COUNT; ++level)
        point.flop_per_byte[level] = bytes[level] > 0 ? work / bytes[level] : NAN;
    point.profile = profile;
    return point;
}

// ---- roofs ----

static bool is_measured(const struct roof *roof) {
    return roof->value > 0 && isfinite(roof->value);
}

static const struct roof *higher(const struct roof *a, const struct roof *b) {
    return a && !(b->value > a->value) ? a : b;
}

const struct roof *roofline_rate(const struct roofline *roofline, const char *dtype) {
    const struct roof *own = NULL, *general = NULL;
    for (size_t i = 0; i < roofline->roof_count; ++i) {
        const struct roof *roof = &roofline->roofs[i];
        if (roof->is_bandwidth || !is_measured(roof)) continue;
        if (!roof->dtype)
            general = higher(general, roof);
        else if (str_equal(roof->dtype, dtype))
            own = higher(own, roof);
    }
    return own ? own : general;
}

const struct roof *roofline_bandwidth(const struct roofline *roofline, enum memory_level level) {
    const struct roof *highest = NULL;
    for (size_t i = 0; i < roofline->roof_count; ++i) {
        const struct roof *roof = &roofline->roofs[i];
        if (roof->is_bandwidth && roof->level == level && is_measured(roof)) highest = higher(highest, roof);
    }
    return highest;
}

// "fp32 FMA 67.0 TFLOP/s"
static const char *roof_text(const struct roof *roof, struct arena *arena) {
    char rate[RATE_BYTES];
    term_format_rate(roof->value, roof->is_bandwidth ? "B/s" : "FLOP/s", rate, sizeof rate);
    return arena_format(arena, "%s %s%s%s", roof->name, rate, roof->measured ? ", measured " : "",
                        str_or(roof->measured, ""));
}

// What the roof allows at the point, in GFLOP/s; NAN: the point's intensity at its level is not known.
static double allowed(const struct roof *roof, const struct roofline_point *point) {
    return roof->is_bandwidth ? roof->value * point->flop_per_byte[roof->level] : roof->value;
}

// ---- figures that cannot be true ----

static void refuse(struct diagnosis *d, const char *because) {
    d->bottleneck = BOTTLENECK_ACCOUNTING_ERROR;
    d->because = because;
}

static void refuse_point(const struct roof *roof, const struct roofline_point *point, struct diagnosis *d,
                         struct arena *arena) {
    const double share = point->gflop_per_s / allowed(roof, point);
    char rate[RATE_BYTES];
    term_format_rate(roof->is_bandwidth ? share * roof->value : point->gflop_per_s,
                     roof->is_bandwidth ? "B/s" : "FLOP/s", rate, sizeof rate);
    refuse(d, arena_format(arena, "%s is %.0f %% of a ceiling (%s), more than all (threshold %g %%)", rate,
                           100 * share, roof_text(roof, arena), thresholds.accounting_pct));
    if (roof->is_bandwidth) {
        diagnosis_note(d, "suspect: bytes counted twice, or more of them than the kernel moves");
        diagnosis_note(d, "suspect: traffic that a cache serves, held against a bandwidth of memory");
    } else {
        diagnosis_note(
            d, "suspect: a ceiling of another precision or pipe (FLOP of tensor cores over the FMA rate)");
        diagnosis_note(d, "suspect: a kernel that does less than the FLOP counted (masked, sparse)");
    }
    diagnosis_note(d, "suspect: a ceiling measured at a lower clock or on a busy machine; measure it again");
}

// The highest rate of any type over DRAM: below 1 FLOP/byte no machine of today has it, but TFLOP over GB do.
static bool has_mixed_units(const struct roofline *roofline, struct diagnosis *d, struct arena *arena) {
    const struct roof *fastest = NULL, *memory = roofline_bandwidth(roofline, LEVEL_DRAM);
    for (size_t i = 0; i < roofline->roof_count; ++i)
        if (!roofline->roofs[i].is_bandwidth && is_measured(&roofline->roofs[i]))
            fastest = higher(fastest, &roofline->roofs[i]);
    if (!fastest || !memory || fastest->value / memory->value >= thresholds.ridge_min) return false;
    refuse(d, arena_format(arena,
                           "the outermost ridge point is at %.2g FLOP/byte (%s over %s), below %g: these are "
                           "not the ceilings of one machine",
                           fastest->value / memory->value, roof_text(fastest, arena),
                           roof_text(memory, arena), thresholds.ridge_min));
    diagnosis_note(d, "suspect: mixed units (TFLOP/s divided by GB/s)");
    return true;
}

static bool is_refused(const struct roofline *roofline, const struct roofline_point *point,
                       struct diagnosis *d, struct arena *arena) {
    const struct roof *roofs[] = {roofline_rate(roofline, point->dtype),
                                  point->has_byte_ceiling ? roofline_bandwidth(roofline, LEVEL_DRAM) : NULL,
                                  roofline_bandwidth(roofline, LEVEL_L2)};
    if (has_mixed_units(roofline, d, arena)) return true;
    for (size_t i = 0; i < sizeof roofs / sizeof *roofs; ++i) {
        if (!roofs[i]) continue;
        if (!(100 * point->gflop_per_s / allowed(roofs[i], point) > thresholds.accounting_pct)) continue;
        refuse_point(roofs[i], point, d, arena);
        return true;
    }
    return false;
}

// ---- the place ----

// The lowest roof over the point. A cache may lift a point above DRAM's, which then does not limit it.
static const struct roof *lowest_roof(const struct roofline *roofline, const struct roofline_point *point,
                                      struct diagnosis *d) {
    const struct roof *lowest = roofline_rate(roofline, point->dtype);
    for (int level = 0; lowest && level < LEVEL_COUNT; ++level) {
        const struct roof *memory = roofline_bandwidth(roofline, (enum memory_level)level);
        if (!memory || !(allowed(memory, point) < allowed(lowest, point))) continue;
        if (level == LEVEL_DRAM && !point->has_byte_ceiling && point->gflop_per_s > allowed(memory, point))
            diagnosis_note(d, "above the roof of DRAM: a cache holds part of what it reads");
        else
            lowest = memory;
    }
    return lowest;
}

// Without counters: the position left or right of the ridge point, and how far the roof is.
static void diagnose_position(const struct roofline_place *place, struct diagnosis *d, struct arena *arena) {
    const struct roof *roof = place->roof;
    const double pct = place->efficiency_pct;
    const bool is_memory = roof->is_bandwidth;
    const char *aim =
        arena_format(arena, "%.0f %% of %s -> %g %%", pct, roof->name, thresholds.saturated_pct);
    d->bottleneck = is_memory ? BOTTLENECK_MEMORY : BOTTLENECK_COMPUTE;
    char at[RATE_BYTES], ridge[RATE_BYTES];
    intensity_format(place->flop_per_byte, at, sizeof at);
    intensity_format(place->ridge_flop_per_byte, ridge, sizeof ridge);
    d->because = arena_format(arena, "%s FLOP/byte, %s of the ridge point at %s; the roof is %s", at,
                              is_memory ? "left" : "right", ridge, roof_text(roof, arena));
    if (is_memory && place->ridge_flop_per_byte > place->flop_per_byte)
        diagnosis_suppose(d, place->ridge_flop_per_byte / place->flop_per_byte, "move fewer bytes",
                          arena_format(arena, "%s FLOP/byte -> %s", at, ridge),
                          "a narrower type, or fusion with what comes before or after");
    if (pct < thresholds.saturated_pct && is_memory)
        diagnosis_suppose(d, thresholds.saturated_pct / pct, "move bytes at a higher rate", aim,
                          "wider accesses, more loads in flight");
    else if (pct < thresholds.saturated_pct)
        diagnosis_suppose(d, thresholds.saturated_pct / pct, "raise the arithmetic rate", aim,
                          "wider or fewer instructions, more independent work in flight");
    if (pct < thresholds.busy_pct)
        diagnosis_note(
            d, arena_format(arena,
                            "%.0f %% of the roof (threshold %g %%): latency or overhead may limit it; "
                            "assay profile counts",
                            pct, thresholds.busy_pct));
    diagnosis_sort(d);
}

struct roofline_place roofline_place(const struct roofline *roofline, const struct roofline_point *point,
                                     struct arena *arena) {
    const struct roof *rate = roofline_rate(roofline, point->dtype);
    const struct roof *memory = roofline_bandwidth(roofline, LEVEL_DRAM);
    struct roofline_place place = {.flop_per_byte = point->flop_per_byte[LEVEL_DRAM],
                                   .ridge_flop_per_byte = rate && memory ? rate->value / memory->value : NAN,
                                   .attainable_gflop_per_s = NAN,
                                   .efficiency_pct = NAN};
    if (is_refused(roofline, point, &place.diagnosis, arena)) return place;
    if (memory) place.roof = lowest_roof(roofline, point, &place.diagnosis);
    if (place.roof) {
        place.attainable_gflop_per_s = allowed(place.roof, point);
        place.efficiency_pct = 100 * point->gflop_per_s / place.attainable_gflop_per_s;
        if (place.roof->is_bandwidth) {
            place.flop_per_byte = point->flop_per_byte[place.roof->level];
            place.ridge_flop_per_byte = rate->value / place.roof->value;
        }
    }
    if (point->profile)
        place.diagnosis = profile_diagnose(point->profile, arena);
    else if (place.roof && isfinite(place.flop_per_byte))
        diagnose_position(&place, &place.diagnosis, arena);
    else
        place.diagnosis.because = ROOFLINE_NO_CEILINGS;
    return place;
}
