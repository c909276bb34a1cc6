// SPDX-License-Identifier: Apache-2.0
//
// See ceiling.h.
#include "record/ceiling.h"

#include "base/str.h"

static const struct ceiling_kind kinds[] = {
    {"fp32_fma_gflop_per_s", "fp32 FMA", "GFLOP/s", CEILING_OF_ARITHMETIC, NULL, true},
    {"fp16_matrix_gflop_per_s", "fp16 matrix", "GFLOP/s", CEILING_OF_MATRIX, "fp16", true},
    {"bf16_matrix_gflop_per_s", "bf16 matrix", "GFLOP/s", CEILING_OF_MATRIX, "bf16", true},
    // Problems in fp32 are computed in fp32: this is for the roofline only.
    {"tf32_matrix_gflop_per_s", "tf32 matrix", "GFLOP/s", CEILING_OF_MATRIX, NULL, true},
    {"e4m3_matrix_gflop_per_s", "e4m3 matrix", "GFLOP/s", CEILING_OF_MATRIX, "fp8_e4m3", true},
    {"read_gb_per_s", "read", "GB/s", CEILING_OF_MEMORY, NULL, false},
    {"write_gb_per_s", "write", "GB/s", CEILING_OF_MEMORY, NULL, false},
    {"copy_gb_per_s", "copy", "GB/s", CEILING_OF_MEMORY, NULL, false},
    {"l2_read_gb_per_s", "L2 read", "GB/s", CEILING_OF_CACHE, NULL, true},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

const struct ceiling_kind *ceiling_kind_at(size_t index) {
    return index < KIND_COUNT ? &kinds[index] : NULL;
}

const struct ceiling_kind *ceiling_kind_find(const char *key) {
    for (size_t i = 0; i < KIND_COUNT; ++i)
        if (str_equal(kinds[i].key, key)) return &kinds[i];
    return NULL;
}

bool ceiling_is_of_bytes(const struct ceiling_kind *kind) {
    return kind->limit == CEILING_OF_MEMORY || kind->limit == CEILING_OF_CACHE;
}

static const struct member members[] = {
    MEMBER(struct ceiling, "name", name, "What was measured: `bf16_matrix_gflop_per_s`, `read_gb_per_s`.",
           MEMBER_REQUIRED),
    MEMBER(struct ceiling, "power_mode", power_mode, "Power mode that it holds in; absent: both.",
           .former = "regime"),
    MEMBER(struct ceiling, "value", value, "Measured, in the unit of the name.", MEMBER_REQUIRED,
           MEMBER_ABOVE(0)),
    MEMBER(struct ceiling, "clock_hz", clock_hz, "Clock of the multiprocessors meanwhile.", 0,
           MEMBER_AT_LEAST(0)),
    MEMBER(struct ceiling, "detail", detail, "How."),
    MEMBER(struct ceiling, "measured_utc", measured_utc, "When."),
};
const struct member_table ceiling_members =
    MEMBER_TABLE(struct ceiling, "ceiling", members, .sentence = "The highest rate measured of one kind.");
