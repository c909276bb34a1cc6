// SPDX-License-Identifier: Apache-2.0
//
// The list of findings.
#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/flow/doctor/doctor.h"

const char *doctor_level_name(enum doctor_level level) {
    static const char *const names[DOCTOR_LEVEL_COUNT] = {"ok", "note", "lacking"};
    return names[level];
}

void doctor_add(struct doctor *doctor, enum doctor_level level, const char *topic, const char *remedy,
                const char *format, ...) {
    struct strbuf text = {0};
    va_list args;
    va_start(args, format);
    strbuf_addv(&text, format, args);
    va_end(args);
    if (doctor->count == doctor->capacity) {
        doctor->capacity = doctor->capacity ? 2 * doctor->capacity : 32;
        struct doctor_finding *larger = arena_array(doctor->arena, doctor->capacity, sizeof *larger);
        if (doctor->count) memcpy(larger, doctor->findings, doctor->count * sizeof *larger);
        doctor->findings = larger;
    }
    doctor->findings[doctor->count++] =
        (struct doctor_finding){.level = level,
                                .topic = topic,
                                .text = arena_strdup(doctor->arena, strbuf_text(&text)),
                                .remedy = remedy};
    strbuf_fini(&text);
}

enum doctor_level doctor_worst(const struct doctor *doctor) {
    enum doctor_level worst = DOCTOR_OK;
    for (size_t i = 0; i < doctor->count; ++i)
        if (doctor->findings[i].level > worst) worst = doctor->findings[i].level;
    return worst;
}
