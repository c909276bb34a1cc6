// SPDX-License-Identifier: Apache-2.0
//
// See ceiling_store.h.
#include "control/flow/ceiling_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"

#define ENTRIES_MAX 16  // the oldest ones are dropped
#define LIMIT_GAP_W 0.5 // NVML gives milliwatts: a limit that differs by less is the same

struct store {
    const char *device_uuid;
    int64_t thread_count;
    size_t entry_count;
    struct ceiling_entry *entries; // the newest first
};

static const struct member entry_list[] = {
    MEMBER(struct ceiling_entry, "driver", driver, "Of the device."),
    MEMBER(struct ceiling_entry, "power_limit_w", power_limit_w, "Enforced meanwhile.", 0,
           MEMBER_AT_LEAST(0)),
    MEMBER_LIST(struct ceiling_entry, "ceilings", ceilings, ceiling_count, &ceiling_members, CEILINGS_MAX,
                "Measured."),
};
static const struct member_table entry_members =
    MEMBER_TABLE(struct ceiling_entry, "ceiling_entry", entry_list, );

static const struct member store_list[] = {
    MEMBER(struct store, "device_uuid", device_uuid, "Of the device."),
    MEMBER(struct store, "thread_count", thread_count, "Of a processor.", MEMBER_AT_LEAST(0)),
    MEMBER_LIST(struct store, "entries", entries, entry_count, &entry_members, ENTRIES_MAX,
                "One a driver and power limit."),
};
static const struct member_table store_members = MEMBER_TABLE(struct store, "ceiling_store", store_list, );

static char *store_path(const struct ceiling_key *key) {
    char *cache = path_cache_dir();
    char *path =
        mem_format("%s/ceilings/%s-%lld.json", cache, key->device_uuid, (long long)key->thread_count);
    free(cache);
    return path;
}

// A file that cannot be read, is of an older version (without entries), was copied from another machine, or
// lies in a cache that is not ours holds nothing: ceilings are measured anew then, and the file is replaced.
static struct store store_read(const char *path, const struct ceiling_key *key, struct arena *arena) {
    struct store store = {0};
    struct err err = {0};
    json_t *root = NULL;
    if (file_check_cache(&err) == 0 && json_read_file(path, &root, &err) == 0) {
        const struct json_at at = {root, path};
        members_forget(&store_members, &store);
        if (members_read(&at, &store_members, arena, &store, NULL, &err) < 0 ||
            !str_equal(store.device_uuid, key->device_uuid))
            store = (struct store){0};
    }
    json_decref(root);
    return store;
}

static bool is_of(const struct ceiling_entry *entry, const struct ceiling_key *key) {
    const bool knows_limits = isfinite(entry->power_limit_w) && isfinite(key->power_limit_w);
    const bool is_limit_alike = knows_limits ? fabs(entry->power_limit_w - key->power_limit_w) < LIMIT_GAP_W
                                             : isnan(entry->power_limit_w) && isnan(key->power_limit_w);
    return is_limit_alike && str_equal(str_or(entry->driver, ""), str_or(key->driver, ""));
}

struct ceiling_entry ceiling_store_find(const struct ceiling_key *key, struct arena *arena,
                                        size_t *ret_others) {
    struct ceiling_entry found = {.driver = key->driver, .power_limit_w = key->power_limit_w};
    char *path = store_path(key);
    const struct store store = store_read(path, key, arena);
    size_t others = 0;
    for (size_t i = 0; i < store.entry_count; ++i) {
        if (is_of(&store.entries[i], key))
            found = store.entries[i];
        else
            ++others;
    }
    if (ret_others) *ret_others = others;
    free(path);
    return found;
}

// ---- adding ----

static struct ceiling *find_same(struct ceiling_entry *entry, const struct ceiling *wanted) {
    for (size_t i = 0; i < entry->ceiling_count; ++i)
        if (str_equal(entry->ceilings[i].name, wanted->name) &&
            str_equal(str_or(entry->ceilings[i].power_mode, ""), str_or(wanted->power_mode, "")))
            return &entry->ceilings[i];
    return NULL;
}

static struct ceiling_entry merge(const struct ceiling_entry *before, const struct ceiling *ceilings,
                                  size_t count, struct arena *arena) {
    struct ceiling_entry entry = *before;
    entry.ceilings = arena_array(arena, CEILINGS_MAX, sizeof *entry.ceilings);
    if (before->ceiling_count)
        memcpy(entry.ceilings, before->ceilings, before->ceiling_count * sizeof *entry.ceilings);
    for (size_t i = 0; i < count; ++i) {
        struct ceiling *same = find_same(&entry, &ceilings[i]);
        if (!same && entry.ceiling_count < CEILINGS_MAX) {
            same = &entry.ceilings[entry.ceiling_count++];
            *same = ceilings[i];
        } else if (same && ceilings[i].value >= same->value) {
            *same = ceilings[i];
        }
    }
    return entry;
}

static int store_write(const char *path, const struct store *store, struct err *err) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", "assay.ceilings");
    members_write(&w, &store_members, store, NULL);
    json_object_end(&w);
    strbuf_add_char(&out, '\n');
    char *dir = path_dir(path);
    int code = file_check_cache(err);
    if (code == 0) code = file_make_dirs(dir, err);
    if (code == 0) code = file_write_atomic(path, strbuf_text(&out), out.length, err);
    free(dir);
    strbuf_fini(&out);
    return code;
}

int ceiling_store_add(const struct ceiling_key *key, const struct ceiling *ceilings, size_t count,
                      struct err *err) {
    struct arena arena = {0};
    char *path = store_path(key);
    const struct store before = store_read(path, key, &arena);
    struct store store = {.device_uuid = key->device_uuid, .thread_count = key->thread_count};
    struct ceiling_entry mine = {.driver = key->driver, .power_limit_w = key->power_limit_w};
    store.entries = arena_array(&arena, ENTRIES_MAX, sizeof *store.entries);
    store.entry_count = 1; // this one first
    for (size_t i = 0; i < before.entry_count; ++i) {
        if (is_of(&before.entries[i], key))
            mine = before.entries[i];
        else if (store.entry_count < ENTRIES_MAX)
            store.entries[store.entry_count++] = before.entries[i];
    }
    store.entries[0] = merge(&mine, ceilings, count, &arena);
    const int code = store_write(path, &store, err);
    free(path);
    arena_fini(&arena);
    return code;
}
