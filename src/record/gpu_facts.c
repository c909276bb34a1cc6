// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads the facts of a GPU. worker/backend/cuda/ queries them.
#include "record/gpu_facts.h"

#include "record/member.h"

static const char *const mode_names[GPU_MODE_COUNT] = {"unknown", "off", "on"};

static void ecc_count_write(struct json_writer *w, const struct member *member, const void *object,
                            const void *context) {
    const struct gpu_facts *facts = object;
    (void)context;
    if (facts->has_ecc_count) json_write_u64(w, member->key, facts->ecc_uncorrected_count);
}

static int ecc_count_read(const struct json_at *at, const struct member *member, struct arena *arena,
                          void *object, void *context, struct err *err) {
    struct gpu_facts *facts = object;
    (void)arena, (void)context;
    const int found = json_find_u64(at, member->key, &facts->ecc_uncorrected_count, err);
    facts->has_ecc_count = found > 0;
    return found;
}

#define FIGURE(name, sentence)                                                                               \
    MEMBER(struct gpu_facts, #name, name, sentence, MEMBER_ABSENT_0, MEMBER_AT_LEAST(0))
static const struct member members[] = {
    MEMBER(struct gpu_facts, "sm_count", sm_count, "Streaming multiprocessors."),
    FIGURE(clock_base_hz, "Base clock of the SMs."),
    FIGURE(clock_max_hz, "Highest clock of the SMs."),
    FIGURE(memory_clock_max_hz, "Highest clock of the memory."),
    FIGURE(power_limit_w, "The limit enforced now."),
    FIGURE(power_limit_min_w, "Smallest limit that can be set."),
    FIGURE(power_limit_max_w, "Largest limit that can be set."),
    FIGURE(memory_temperature_c, "Of the memory."),
    MEMBER_NAMED(struct gpu_facts, "ecc", ecc, mode_names, "Error correction."),
    MEMBER_NAMED(struct gpu_facts, "mig", mig, mode_names, "Split into instances."),
    MEMBER_NAMED(struct gpu_facts, "persistence", persistence, mode_names, "The driver stays loaded."),
    MEMBER_WITH("ecc_uncorrected_count", ecc_count_write, ecc_count_read, "Since the driver was loaded.",
                .schema = "{\"$ref\": \"#/$defs/u64\"}"),
};
const struct member_table gpu_facts_members = MEMBER_TABLE(struct gpu_facts, "gpu_facts", members, );

const char *gpu_mode_name(enum gpu_mode mode) {
    return member_name(mode_names, GPU_MODE_COUNT, (int)mode);
}

bool gpu_facts_are_known(const struct gpu_facts *facts) {
    return facts->has_ecc_count || members_are_known(&gpu_facts_members, facts);
}
