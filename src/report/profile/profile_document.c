// SPDX-License-Identifier: Apache-2.0
//
// See profile_document.h.
#include "report/profile/profile_document.h"

#include <math.h>

#include "record/field.h"

static int read_gpu(const struct json_at *at, struct arena *arena, struct profiled *ret, struct err *err) {
    struct profile *profile = &ret->profile;
    members_forget(&profile_members, profile);
    profile->kernel = profile->block = profile->grid = "";
    TRY(members_read(at, &profile_members, arena, profile, NULL, err));
    ret->diagnosis = profile_diagnose(profile, arena);
    return 0;
}

static int read_cpu(const struct json_at *at, struct arena *arena, struct profiled *ret, struct err *err) {
    struct cpu_profile *profile = &ret->cpu_profile;
    members_forget(&cpu_profile_members, profile);
    TRY(members_read(at, &cpu_profile_members, arena, profile, NULL, err));
    ret->diagnosis = cpu_profile_diagnose(profile, arena);
    return 0;
}

static int read_launch(const struct json_at *at, struct arena *arena, struct profiled *ret, struct err *err) {
    const json_t *value = NULL;
    struct field_place place;
    TRY(field_find_text(at, "problem", arena, &ret->problem, err));
    TRY(field_find_text(at, "profiler", arena, &ret->profiler, err));
    TRY(field_find_text(at, "note", arena, &ret->note, err));
    ret->time_ns = NAN;
    TRY(json_find_double(at, "time_ns", &ret->time_ns, err));
    TRY(json_get_bool(at, "is_cpu", &ret->is_cpu, err));
    TRY(json_get_object(at, "profile", &value, err));
    field_enter(&place, at, "profile", value);
    return ret->is_cpu ? read_cpu(&place.at, arena, ret, err) : read_gpu(&place.at, arena, ret, err);
}

static int read_all(const struct json_at *at, struct arena *arena, struct profile_document *ret,
                    struct err *err) {
    const json_t *launches = NULL, *roofline = NULL;
    size_t count = 0;
    struct field_place place;
    TRY(field_get_items(at, "launches", 1, &launches, &count, err));
    if (count != 1) return err_set(err, ERR_DATA, "%s: it has no launch", at->where);
    field_enter_item(&place, at, "launches", 0, json_array_get(launches, 0));
    TRY(read_launch(&place.at, arena, &ret->launch, err));
    TRY(json_find_object(at, "roofline", &roofline, err));
    if (!roofline) return 0;
    field_enter(&place, at, "roofline", roofline);
    return roofline_read(&place.at, &ret->launch.profile, arena, &ret->roofline, err);
}

int profile_document_read(const struct strbuf *text, const char *where, struct arena *arena,
                          struct profile_document *ret, struct err *err) {
    json_t *root = NULL;
    *ret = (struct profile_document){.launch = {.problem = NULL}};
    TRY(json_read_text(strbuf_text(text), text->length, where, &root, err));
    const struct json_at at = {.value = root, .where = where};
    const int code = read_all(&at, arena, ret, err);
    json_decref(root);
    return code;
}

struct profile_report profile_document_report(const struct profile_document *document) {
    return (struct profile_report){.count = 1, .items = &document->launch, .roofline = &document->roofline};
}
