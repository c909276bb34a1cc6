// SPDX-License-Identifier: Apache-2.0
//
// The cache of built modules: finds an entry, and publishes a new one safely while other builds do the same
// or the machine goes down. The builders (variant_source.c, variant_own.c) decide what a key covers.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "control/compile/build_cache_internal.h"
#include "control/compile/code_hash.h"
#include "control/compile/cuda/device_code.h"
#include "control/compile/module_normalize.h"
#include "control/compile/tool/elf_file.h"

#define REPORT_NAME           "report.json"
#define REPORT_KIND           "assay.module"
#define REPORT_SCHEMA_VERSION 5 // 5: build_s is the module's own; binary_bytes, is_from_ccache
#define STAGE_LOCK            ".lock"
#define STAGE_AGE_MAX_S       86400 // age after which a stage without a lock is removed
#define PUBLISH_TRIES         8

// path_cache_dir()/name, made when missing.
static int cache_folder(const char *name, char **ret, struct err *err) {
    char *cache = path_cache_dir();
    char *folder = path_join(cache, name);
    int result = file_make_dirs(folder, err);
    if (result < 0)
        free(folder);
    else
        *ret = folder;
    free(cache);
    return result;
}

// Removes the stages of builds that were killed: those whose lock is free, and after a day those without a
// lock.
static void stale_stages_remove(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *item; (item = readdir(dir));) {
        if (item->d_name[0] == '.') continue;
        char *path = path_join(folder, item->d_name), *lock = mem_format("%s" STAGE_LOCK, path);
        struct stat info;
        int fd;
        if (str_ends(path, STAGE_LOCK)) {
            if (file_lock_open(path, false, &fd, NULL) == 0) {
                char *stage = mem_format("%.*s", (int)(strlen(path) - strlen(STAGE_LOCK)), path);
                // The lock goes last: while it is there, the next build tries again.
                if (file_remove_tree(stage, NULL) == 0) unlink(path);
                free(stage);
                file_lock_close(fd);
            }
        } else if (!file_exists(lock) && lstat(path, &info) == 0 &&
                   time(NULL) - info.st_mtime > STAGE_AGE_MAX_S) {
            file_remove_tree(path, NULL);
        }
        free(path);
        free(lock);
    }
    closedir(dir);
}

static enum err_code create_code(void) {
    return errno == ENOSPC || errno == EDQUOT ? ERR_IO : ERR_CREATE;
}

int build_stage_open(struct arena *arena, struct build_stage *ret, struct err *err) {
    char *folder;
    TRY(cache_folder("tmp", &folder, err));
    stale_stages_remove(folder);
    // The lock comes first, so that the folder never exists without it.
    char *lock_path = arena_format(arena, "%s/build-XXXXXX" STAGE_LOCK, folder);
    struct build_stage stage = {.lock_path = lock_path};
    int result = 0, fd = mkostemps(lock_path, (int)strlen(STAGE_LOCK), O_CLOEXEC);
    if (fd < 0) {
        result = err_set_errno(err, create_code(), "cannot create a folder in '%s'", folder);
        goto out;
    }
    close(fd);
    stage.dir = arena_strndup(arena, lock_path, strlen(lock_path) - strlen(STAGE_LOCK));
    result = file_lock_open(lock_path, true, &stage.lock_fd, err);
    if (result < 0) goto out;
    if (mkdir(stage.dir, 0777) < 0) {
        result = err_set_errno(err, create_code(), "cannot create a folder in '%s'", folder);
        unlink(lock_path);
        file_lock_close(stage.lock_fd);
        goto out;
    }
    *ret = stage;
out:
    free(folder);
    return result;
}

void build_stage_close(struct build_stage *stage) {
    if (file_remove_tree(stage->dir, NULL) == 0) unlink(stage->lock_path); // else the next build does it
    file_lock_close(stage->lock_fd);
}

static char *entry_dir(const char *key) {
    char *cache = path_cache_dir();
    char *dir = mem_format("%s/modules/%s", cache, key);
    free(cache);
    return dir;
}

// Members of report.json that are texts (null: none) and counts (-1: not known).
struct report_member {
    const char *key;
    size_t offset;
};
#define REPORT(name)                                                                                         \
    { .key = #name, .offset = offsetof(struct build_entry, report.name) }
static const struct report_member texts[] = {
    REPORT(module_hash), REPORT(code_hash),
    REPORT(targets),     REPORT(entries),
    REPORT(matrix),      REPORT(compiler),
    REPORT(flags),       {"commands", offsetof(struct build_entry, commands)},
    REPORT(log_tail)};
static const struct report_member counts[] = {
    REPORT(code_bytes),   REPORT(stack_bytes_max),     REPORT(registers),   REPORT(spill_bytes),
    REPORT(shared_bytes), REPORT(matrix_instructions), REPORT(binary_bytes)};
enum { TEXT_COUNT = sizeof texts / sizeof *texts, COUNT_COUNT = sizeof counts / sizeof *counts };

static void *member_at(struct build_entry *entry, const struct report_member *member) {
    return (char *)entry + member->offset;
}

static void report_write(struct build_entry *entry, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", REPORT_KIND);
    json_write_i64(&w, "schema_version", REPORT_SCHEMA_VERSION);
    for (size_t i = 0; i < TEXT_COUNT; ++i)
        json_maybe_string(&w, texts[i].key, *(const char **)member_at(entry, &texts[i]));
    for (size_t i = 0; i < COUNT_COUNT; ++i)
        json_write_i64(&w, counts[i].key, *(int64_t *)member_at(entry, &counts[i]));
    json_write_bool(&w, "has_unique_symbols", entry->has_unique_symbols);
    json_write_double(&w, "build_s", entry->report.build_s);
    json_write_bool(&w, "is_from_ccache", entry->report.is_from_ccache);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int report_parse(const struct json_at *at, struct arena *arena, struct build_entry *ret) {
    const char *kind = NULL;
    int64_t version = 0;
    TRY(json_get_string(at, "kind", &kind, NULL));
    TRY(json_get_i64(at, "schema_version", &version, NULL));
    if (!str_equal(kind, REPORT_KIND) || version != REPORT_SCHEMA_VERSION) return -ERR_DATA;
    for (size_t i = 0; i < TEXT_COUNT; ++i) {
        const char *text = NULL;
        TRY(json_find_string(at, texts[i].key, &text, NULL));
        *(const char **)member_at(ret, &texts[i]) = arena_strdup(arena, text);
    }
    for (size_t i = 0; i < COUNT_COUNT; ++i)
        TRY(json_get_i64(at, counts[i].key, member_at(ret, &counts[i]), NULL));
    TRY(json_get_bool(at, "has_unique_symbols", &ret->has_unique_symbols, NULL));
    TRY(json_get_double(at, "build_s", &ret->report.build_s, NULL));
    TRY(json_get_bool(at, "is_from_ccache", &ret->report.is_from_ccache, NULL));
    return ret->report.module_hash ? 0 : -ERR_DATA;
}

bool build_cache_find(const char *key, struct arena *arena, struct build_entry *ret) {
    char *dir = entry_dir(key);
    char *module = path_join(dir, BUILD_MODULE_NAME);
    char *report = path_join(dir, REPORT_NAME);
    struct build_entry entry = {.report = build_report_unknown()};
    json_t *root = NULL;
    char hash[SHA256_HEX_BYTES];
    bool is_found = file_exists(report) && json_read_file(report, &root, NULL) == 0;
    if (is_found) {
        const struct json_at at = {.value = root, .where = report};
        is_found = report_parse(&at, arena, &entry) == 0 && sha256_file_hex(module, hash, NULL) == 0 &&
                   str_equal(hash, entry.report.module_hash);
    }
    if (is_found) {
        entry.module_path = arena_strdup(arena, module);
        entry.report.is_cached = true;
        *ret = entry;
    }
    json_decref(root);
    free(dir);
    free(module);
    free(report);
    return is_found;
}

int build_entry_inspect(struct build_entry *entry, struct arena *arena, struct err *err) {
    char hash[SHA256_HEX_BYTES], code_hash[SHA256_HEX_BYTES], *bytes;
    size_t length;
    struct elf_file elf;
    TRY(code_hash_file(entry->module_path, code_hash, &entry->report.code_bytes, err));
    entry->report.code_hash = arena_strdup(arena, code_hash);
    TRY(file_read(entry->module_path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, entry->module_path, &elf, err);
    if (result == 0) {
        entry->has_unique_symbols = elf_has_unique_symbols(&elf);
        entry->report.binary_bytes = elf_mapped_bytes(&elf);
        // It may load code from its own folder, which the hash does not cover.
        if (elf_has_origin_path(&elf)) entry->report.code_hash = NULL;
        const struct matrix_count matrix = device_matrix_find(bytes, length, arena);
        entry->report.matrix = matrix.text;
        entry->report.matrix_instructions = matrix.multiplications;
        struct sha256 sha = sha256_make();
        sha256_add(&sha, bytes, length);
        sha256_hex(sha, hash);
        entry->report.module_hash = arena_strdup(arena, hash);
    }
    free(bytes);
    return result;
}

int build_entry_keep(const char *dir, struct arena *arena, struct build_entry *entry, struct err *err) {
    entry->module_path = arena_format(arena, "%s/" BUILD_MODULE_NAME, dir);
    TRY(module_normalize_file(entry->module_path, err));
    return build_entry_inspect(entry, arena, err);
}

static int stage_rename(const char *stage_dir, const char *dir, const char *key, struct arena *arena,
                        struct build_entry *entry, struct err *err) {
    for (int i = 0; i < PUBLISH_TRIES; ++i) {
        if (rename(stage_dir, dir) == 0) {
            entry->module_path = arena_format(arena, "%s/" BUILD_MODULE_NAME, dir);
            return 0;
        }
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) {
            return err_set_errno(err, create_code(), "cannot create the cache entry '%s'", dir);
        }
        if (build_cache_find(key, arena, entry)) {
            file_remove_tree(stage_dir, NULL);
            return 0;
        }
        // An incomplete entry has this name; it is moved aside, and a worker that has it open keeps its file.
        char *aside = mem_format("%s.torn", stage_dir);
        if (rename(dir, aside) == 0) file_remove_tree(aside, NULL);
        free(aside);
    }
    return err_set(err, ERR_CREATE,
                   "cannot create the cache entry '%s': something else keeps appearing there; remove it",
                   dir);
}

int build_cache_publish(const char *stage_dir, const char *key, struct arena *arena,
                        struct build_entry *entry, struct err *err) {
    char *modules = NULL, *dir = entry_dir(key);
    char *report = path_join(stage_dir, REPORT_NAME);
    struct strbuf text = {0};
    int result = build_entry_keep(stage_dir, arena, entry, err);
    if (result < 0) goto out;
    report_write(entry, &text);
    result = file_write_atomic(report, text.text, text.length, err);
    if (result < 0) goto out;
    result = cache_folder("modules", &modules, err);
    if (result < 0) goto out;
    result = stage_rename(stage_dir, dir, key, arena, entry, err);
out:
    strbuf_fini(&text);
    free(modules);
    free(dir);
    free(report);
    return result;
}
