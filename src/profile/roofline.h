// SPDX-License-Identifier: Apache-2.0
//
// The roofline model (Williams, Waterman, Patterson 2009) as a pure function of ceilings and points: where a
// kernel lies under the roofs of its device, which roof limits it, and whether its figures can be true at
// all. Drawings are in report/roofline/. Where the ceilings come from is the caller's business.
#ifndef PROFILE_ROOFLINE_H
#define PROFILE_ROOFLINE_H

#include "profile/profile.h"

enum memory_level { LEVEL_DRAM = 0, LEVEL_L2, LEVEL_COUNT };
const char *memory_level_name(enum memory_level level); // "DRAM"

// A measured ceiling: an arithmetic rate, or the bandwidth of a level of memory.
struct roof {
    const char *name; // "fp32 FMA", "DRAM"
    bool is_bandwidth;
    enum memory_level level; // of a bandwidth
    double value;            // GFLOP/s, or GB/s
    const char *dtype;       // of a rate: only problems of this type reach it ("fp16"); NULL: all
    const char *measured;    // "2026-11-21"; NULL: not known
};

// Said where a roof is missing, and what to do.
#define ROOFLINE_NO_CEILINGS                                                                                 \
    "no ceilings are stored for this device and type: without them no bottleneck can be named "              \
    "('assay devices --ceilings' measures them)"

struct roofline_point {
    const char *problem, *kernel, *dtype; // "s512", "fa_sm90", "fp16"; kernel NULL: not said
    double gflop_per_s;                   // of a run without a profiler; NAN: not known
    double flop_per_byte[LEVEL_COUNT];    // NAN: not known
    bool has_byte_ceiling;                // what it moves comes from DRAM; else a cache may hold it
    const struct profile *profile;        // whose bytes were counted; NULL: modelled
};

struct roofline {
    const char *device; // for titles; NULL: not known
    size_t roof_count, point_count;
    const struct roof *roofs;
    const struct roofline_point *points;
};

// "64", "188", "1024": three significant digits at least. Empty where not known.
void intensity_format(double flop_per_byte, char *ret_text, size_t capacity);

// A point of FLOP and bytes (the operator's, per launch) and the time of a launch.
struct roofline_point roofline_point_modelled(double flop, double bytes, double time_ns);
// A point whose bytes a profiler counted. FLOP are the counted ones where both tensor and FMA FLOP are in the
// profile, else flop, the operator's. time_ns: of a launch without the profiler; NAN: not known.
struct roofline_point roofline_point_counted(const struct profile *profile, double flop, double time_ns);

// The highest rate that problems of the type can reach (a roof of their own type, else one of all types), and
// the highest bandwidth of a level. NULL: none was measured.
const struct roof *roofline_rate(const struct roofline *roofline, const char *dtype);
const struct roof *roofline_bandwidth(const struct roofline *roofline, enum memory_level level);

struct roofline_place {
    struct diagnosis diagnosis;                    // with a profile: that of its figures
    const struct roof *roof;                       // the lowest over the point; NULL: not known
    double flop_per_byte;                          // against which memory: DRAM, unless L2 is the limit
    double ridge_flop_per_byte;                    // where rate and DRAM meet; NAN: one of both is not known
    double attainable_gflop_per_s, efficiency_pct; // of the roof over the point
};

// Figures above 1.02 x a ceiling, and ceilings that cannot be one machine's, are an accounting error:
// suspects are listed, and nothing is classified. Else with a profile its diagnosis; without one the position
// left or right of the ridge point decides.
struct roofline_place roofline_place(const struct roofline *roofline, const struct roofline_point *point,
                                     struct arena *arena);

#endif
