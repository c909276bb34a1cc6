// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the facts of a GPU. worker/backend/cuda/ queries them.
#include "record/gpu_facts.h"

#include <stddef.h>
#include <string.h>

#include "record/field.h"

static const char *const mode_names[GPU_MODE_COUNT] = {"unknown", "off", "on"};

struct gpu_figure {
    const char *key;
    size_t offset;
};

#define FIGURE(member)                                                                                       \
    { #member, offsetof(struct gpu_facts, member) }
static const struct gpu_figure figures[] = {
    FIGURE(clock_base_hz),     FIGURE(clock_max_hz),      FIGURE(memory_clock_max_hz),  FIGURE(power_limit_w),
    FIGURE(power_limit_min_w), FIGURE(power_limit_max_w), FIGURE(memory_temperature_c),
};
static const struct gpu_figure modes[] = {FIGURE(ecc), FIGURE(mig), FIGURE(persistence)};
enum { FIGURE_COUNT = sizeof figures / sizeof figures[0], MODE_COUNT = sizeof modes / sizeof modes[0] };

static double *figure_at(struct gpu_facts *facts, size_t index) {
    return (double *)(void *)((char *)facts + figures[index].offset);
}

static enum gpu_mode *mode_at(struct gpu_facts *facts, size_t index) {
    return (enum gpu_mode *)(void *)((char *)facts + modes[index].offset);
}

const char *gpu_mode_name(enum gpu_mode mode) {
    return (unsigned)mode < GPU_MODE_COUNT ? mode_names[mode] : "unknown";
}

bool gpu_facts_are_known(const struct gpu_facts *facts) {
    struct gpu_facts copy = *facts;
    bool is_known = facts->sm_count > 0 || facts->has_ecc_count;
    for (size_t i = 0; i < FIGURE_COUNT; ++i) is_known |= *figure_at(&copy, i) > 0;
    for (size_t i = 0; i < MODE_COUNT; ++i) is_known |= *mode_at(&copy, i) != GPU_MODE_UNKNOWN;
    return is_known;
}

void gpu_facts_write(struct json_writer *w, const char *key, const struct gpu_facts *facts) {
    struct gpu_facts copy = *facts;
    json_object_begin(w, key);
    if (facts->sm_count > 0) json_write_u64(w, "sm_count", facts->sm_count);
    for (size_t i = 0; i < FIGURE_COUNT; ++i)
        if (*figure_at(&copy, i) > 0) json_maybe_double(w, figures[i].key, *figure_at(&copy, i));
    for (size_t i = 0; i < MODE_COUNT; ++i)
        if (*mode_at(&copy, i) != GPU_MODE_UNKNOWN)
            json_write_string(w, modes[i].key, gpu_mode_name(*mode_at(&copy, i)));
    if (facts->has_ecc_count) json_write_u64(w, "ecc_uncorrected_count", facts->ecc_uncorrected_count);
    json_object_end(w);
}

static int mode_find(const struct json_at *at, const char *key, enum gpu_mode *ret, struct err *err) {
    const char *name = NULL;
    TRY(json_find_string(at, key, &name, err));
    if (!name) return 0;
    for (int mode = GPU_MODE_OFF; mode < GPU_MODE_COUNT; ++mode) {
        if (strcmp(mode_names[mode], name) != 0) continue;
        *ret = (enum gpu_mode)mode;
        return 0;
    }
    return field_refuse_name(at, key, name, err);
}

int gpu_facts_parse(const struct json_at *at, struct gpu_facts *ret, struct err *err) {
    struct gpu_facts facts = {0};
    TRY(field_find_u32(at, "sm_count", &facts.sm_count, err));
    for (size_t i = 0; i < FIGURE_COUNT; ++i)
        TRY(field_find_double(at, figures[i].key, 0, figure_at(&facts, i), err));
    for (size_t i = 0; i < MODE_COUNT; ++i) TRY(mode_find(at, modes[i].key, mode_at(&facts, i), err));
    const int found = json_find_u64(at, "ecc_uncorrected_count", &facts.ecc_uncorrected_count, err);
    if (found < 0) return found;
    facts.has_ecc_count = found > 0;
    *ret = facts;
    return 0;
}
