// SPDX-License-Identifier: Apache-2.0
//
// See policy.h: copies, writes and reads.
#include "record/policy.h"

#include "base/str.h"
#include "record/field.h"

enum { POLICY_CHANGES_MAX = 64, POLICY_NAMES_MAX = 1 << 16 };

static const struct {
    const char *from, *reason; // as documents have them; reason NULL: absent
} source_names[POLICY_SOURCE_COUNT] = {
    [POLICY_BASELINE] = {"baseline", NULL},
    [POLICY_REQUESTED] = {"candidate", "requested"},
    [POLICY_FIRST] = {"candidate", "no_manifest"},
};

// ---- copying ----

static struct policy_names names_copy(struct arena *arena, const struct policy_names *names) {
    struct policy_names copy = {.count = names->count,
                                .items = arena_array(arena, names->count, sizeof *copy.items)};
    for (size_t i = 0; i < names->count; ++i) copy.items[i] = arena_strdup(arena, names->items[i]);
    return copy;
}

const struct policy *policy_copy(struct arena *arena, const struct policy *policy) {
    if (!policy) return NULL;
    struct policy *copy = arena_alloc(arena, sizeof *copy);
    *copy = *policy;
    copy->revision = arena_strdup(arena, policy->revision);
    copy->changes = arena_array(arena, policy->change_count, sizeof *copy->changes);
    for (size_t i = 0; i < policy->change_count; ++i) {
        const struct policy_change *change = &policy->changes[i];
        copy->changes[i] = (struct policy_change){
            .setting = arena_strdup(arena, change->setting),
            .baseline = arena_strdup(arena, change->baseline),
            .candidate = arena_strdup(arena, change->candidate),
            .used = arena_strdup(arena, change->used),
            .only_baseline = names_copy(arena, &change->only_baseline),
            .only_candidate = names_copy(arena, &change->only_candidate),
        };
    }
    return copy;
}

// ---- writing ----

static void names_write(struct json_writer *w, const char *key, const struct policy_names *names) {
    if (!names->count) return;
    json_array_begin(w, key);
    for (size_t i = 0; i < names->count; ++i) json_write_string(w, NULL, names->items[i]);
    json_array_end(w);
}

void policy_write(struct json_writer *w, const char *key, const struct policy *policy) {
    if (!policy) return;
    json_object_begin(w, key);
    json_write_string(w, "from", source_names[policy->source].from);
    json_maybe_string(w, "reason", source_names[policy->source].reason);
    json_maybe_string(w, "revision", policy->revision);
    json_array_begin(w, "changes");
    for (size_t i = 0; i < policy->change_count; ++i) {
        const struct policy_change *change = &policy->changes[i];
        json_object_begin(w, NULL);
        json_write_string(w, "setting", change->setting);
        json_maybe_string(w, "baseline", change->baseline);
        json_maybe_string(w, "candidate", change->candidate);
        json_maybe_string(w, "used", change->used);
        names_write(w, "only_baseline", &change->only_baseline);
        names_write(w, "only_candidate", &change->only_candidate);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

// ---- reading ----

static int source_parse(const struct json_at *at, enum policy_source *ret, struct err *err) {
    const char *from = NULL, *reason = NULL;
    TRY(json_get_string(at, "from", &from, err));
    TRY(json_find_string(at, "reason", &reason, err));
    for (int i = POLICY_NONE + 1; i < POLICY_SOURCE_COUNT; ++i) {
        if (!str_equal(source_names[i].from, from) || !str_equal(source_names[i].reason, reason)) continue;
        *ret = (enum policy_source)i;
        return 0;
    }
    return err_set(err, ERR_DATA,
                   "%s: a policy is from 'baseline', or from 'candidate' with the reason "
                   "'requested' or 'no_manifest'",
                   at->where);
}

static int names_find(const struct json_at *at, const char *key, struct arena *arena,
                      struct policy_names *ret, struct err *err) {
    const json_t *items = NULL;
    TRY(field_find_items(at, key, POLICY_NAMES_MAX, &items, &ret->count, err));
    ret->items = arena_array(arena, ret->count, sizeof *ret->items);
    for (size_t i = 0; i < ret->count; ++i) {
        const char *text = json_string_value(json_array_get(items, i));
        if (!text) return err_set(err, ERR_DATA, "%s: %s[%zu] must be a string", at->where, key, i);
        ret->items[i] = arena_strdup(arena, text);
    }
    return 0;
}

static int change_parse(const struct json_at *at, struct arena *arena, struct policy_change *ret,
                        struct err *err) {
    TRY(field_get_text(at, "setting", arena, &ret->setting, err));
    TRY(field_find_text(at, "baseline", arena, &ret->baseline, err));
    TRY(field_find_text(at, "candidate", arena, &ret->candidate, err));
    TRY(field_find_text(at, "used", arena, &ret->used, err));
    TRY(names_find(at, "only_baseline", arena, &ret->only_baseline, err));
    return names_find(at, "only_candidate", arena, &ret->only_candidate, err);
}

int policy_find(const struct json_at *at, const char *key, struct arena *arena, const struct policy **ret,
                struct err *err) {
    const json_t *object = NULL, *changes = NULL;
    struct field_place place, item;
    TRY(json_find_object(at, key, &object, err));
    if (!object) return 0;
    struct policy *policy = arena_alloc(arena, sizeof *policy);
    field_enter(&place, at, key, object);
    TRY(source_parse(&place.at, &policy->source, err));
    TRY(field_find_text(&place.at, "revision", arena, &policy->revision, err));
    TRY(field_find_items(&place.at, "changes", POLICY_CHANGES_MAX, &changes, &policy->change_count, err));
    policy->changes = arena_array(arena, policy->change_count, sizeof *policy->changes);
    for (size_t i = 0; i < policy->change_count; ++i) {
        field_enter_item(&item, &place.at, "changes", i, json_array_get(changes, i));
        TRY(change_parse(&item.at, arena, &policy->changes[i], err));
    }
    *ret = policy;
    return 0;
}
