// SPDX-License-Identifier: Apache-2.0
//
// Is this module built already, and how does a fresh one get into the cache while others do the same, or the
// machine goes down? What a key covers is decided by whoever builds (variant_source.c, variant_own.c).
#include "control/compile/build_cache.h"

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
#include "control/compile/cuda/device_code.h"
#include "control/compile/cuda/elf_file.h"
#include "control/compile/variant.h"

#define REPORT_NAME           "report.json"
#define REPORT_KIND           "assay.module"
#define REPORT_SCHEMA_VERSION 2
#define STAGE_LOCK            ".lock"
#define STAGE_AGE_MAX_S       86400 // what has no lock is removed after a day
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

// A stage whose lock can be had belongs to nobody; what has no lock is left for a day.
static void stale_stage_remove(const char *path) {
    struct stat info;
    if (str_ends(path, STAGE_LOCK)) {
        int fd;
        if (file_lock_open(path, false, &fd, NULL) < 0) return;
        char *dir = mem_format("%.*s", (int)(strlen(path) - strlen(STAGE_LOCK)), path);
        if (file_remove_tree(dir, NULL) == 0) unlink(path); // the lock last; else it is tried again next time
        free(dir);
        file_lock_close(fd);
        return;
    }
    char *lock = mem_format("%s" STAGE_LOCK, path);
    if (!file_exists(lock) && lstat(path, &info) == 0 && time(NULL) - info.st_mtime > STAGE_AGE_MAX_S)
        file_remove_tree(path, NULL);
    free(lock);
}

static void stale_stages_remove(const char *folder) {
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *item; (item = readdir(dir));) {
        if (item->d_name[0] == '.') continue;
        char *path = path_join(folder, item->d_name);
        stale_stage_remove(path);
        free(path);
    }
    closedir(dir);
}

static enum err_code create_code(void) {
    return errno == ENOSPC || errno == EDQUOT ? ERR_IO : ERR_CREATE;
}

// A name of our own: the lock comes first, so that the folder is never without it.
static int stage_make(const char *folder, struct arena *arena, struct build_stage *ret, struct err *err) {
    char *pattern = arena_format(arena, "%s/build-XXXXXX" STAGE_LOCK, folder);
    const int fd = mkostemps(pattern, (int)strlen(STAGE_LOCK), O_CLOEXEC);
    if (fd < 0) return err_set_errno(err, create_code(), "cannot create a folder in '%s'", folder);
    close(fd);
    struct build_stage stage = {.lock_path = pattern};
    stage.dir = arena_strndup(arena, pattern, strlen(pattern) - strlen(STAGE_LOCK));
    TRY(file_lock_open(pattern, true, &stage.lock_fd, err));
    if (mkdir(stage.dir, 0777) < 0) {
        const int result = err_set_errno(err, create_code(), "cannot create a folder in '%s'", folder);
        unlink(pattern);
        file_lock_close(stage.lock_fd);
        return result;
    }
    *ret = stage;
    return 0;
}

int build_stage_open(struct arena *arena, struct build_stage *ret, struct err *err) {
    char *folder;
    TRY(cache_folder("tmp", &folder, err));
    stale_stages_remove(folder);
    const int result = stage_make(folder, arena, ret, err);
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

static void report_write(const struct build_entry *entry, struct strbuf *out) {
    const struct build_report *report = &entry->report;
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", REPORT_KIND);
    json_write_i64(&w, "schema_version", REPORT_SCHEMA_VERSION);
    json_write_string(&w, "module_hash", report->module_hash);
    json_maybe_string(&w, "code_hash", report->code_hash);
    json_write_i64(&w, "code_bytes", report->code_bytes);
    json_write_i64(&w, "stack_bytes_max", report->stack_bytes_max);
    json_write_i64(&w, "registers", report->registers);
    json_write_i64(&w, "spill_bytes", report->spill_bytes);
    json_write_i64(&w, "shared_bytes", report->shared_bytes);
    json_write_i64(&w, "matrix_instructions", report->matrix_instructions);
    json_maybe_string(&w, "targets", report->targets);
    json_maybe_string(&w, "entries", report->entries);
    json_maybe_string(&w, "matrix", report->matrix);
    json_write_bool(&w, "has_unique_symbols", entry->has_unique_symbols);
    json_maybe_string(&w, "compiler", report->compiler);
    json_maybe_string(&w, "flags", report->flags);
    json_write_double(&w, "build_s", report->build_s);
    json_maybe_string(&w, "commands", entry->commands);
    json_maybe_string(&w, "log_tail", report->log_tail);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// A text of the document, NULL when it has none.
static int text_find(const struct json_at *at, const char *key, struct arena *arena, const char **ret) {
    const char *text = NULL;
    TRY(json_find_string(at, key, &text, NULL));
    *ret = arena_strdup(arena, text);
    return 0;
}

static int figures_parse(const struct json_at *at, struct build_report *report) {
    const struct {
        const char *key;
        int64_t *target;
    } counts[] = {
        {"code_bytes", &report->code_bytes},     {"stack_bytes_max", &report->stack_bytes_max},
        {"registers", &report->registers},       {"spill_bytes", &report->spill_bytes},
        {"shared_bytes", &report->shared_bytes}, {"matrix_instructions", &report->matrix_instructions}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        TRY(json_get_i64(at, counts[i].key, counts[i].target, NULL));
    return json_get_double(at, "build_s", &report->build_s, NULL);
}

static int report_parse(const struct json_at *at, struct arena *arena, struct build_entry *ret) {
    struct build_report *report = &ret->report;
    const char *kind = NULL;
    int64_t version = 0;
    TRY(json_get_string(at, "kind", &kind, NULL));
    TRY(json_get_i64(at, "schema_version", &version, NULL));
    if (!str_equal(kind, REPORT_KIND) || version != REPORT_SCHEMA_VERSION) return -ERR_DATA;
    const struct {
        const char *key, **target;
    } texts[] = {{"module_hash", &report->module_hash},
                 {"code_hash", &report->code_hash},
                 {"compiler", &report->compiler},
                 {"flags", &report->flags},
                 {"commands", &ret->commands},
                 {"log_tail", &report->log_tail},
                 {"targets", &report->targets},
                 {"entries", &report->entries},
                 {"matrix", &report->matrix}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        TRY(text_find(at, texts[i].key, arena, texts[i].target));
    if (!report->module_hash) return -ERR_DATA;
    TRY(json_get_bool(at, "has_unique_symbols", &ret->has_unique_symbols, NULL));
    return figures_parse(at, report);
}

bool build_cache_find(const char *key, struct arena *arena, struct build_entry *ret) {
    char *dir = entry_dir(key);
    char *module = path_join(dir, BUILD_MODULE_NAME);
    char *report = path_join(dir, REPORT_NAME);
    struct build_entry entry = {.report = build_report_unknown()};
    json_t *root = NULL;
    char hash[HASH_HEX_BYTES];
    bool is_found = file_exists(report) && json_read_file(report, &root, NULL) == 0;
    if (is_found) {
        const struct json_at at = {.value = root, .where = report};
        is_found = report_parse(&at, arena, &entry) == 0 && hash_file_hex(module, hash, NULL) == 0 &&
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
    char hash[HASH_HEX_BYTES], *bytes;
    size_t length;
    struct elf_file elf;
    TRY(code_hash_file(entry->module_path, hash, &entry->report.code_bytes, err));
    entry->report.code_hash = arena_strdup(arena, hash);
    TRY(file_read(entry->module_path, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    int result = elf_file_parse(bytes, length, entry->module_path, &elf, err);
    if (result == 0) {
        entry->has_unique_symbols = elf_has_unique_symbols(&elf);
        // Two folders' neighbours may hold different code: such a module is never known to be the same.
        if (elf_has_origin_path(&elf)) entry->report.code_hash = NULL;
        const struct matrix_count matrix = device_matrix_find(bytes, length, arena);
        entry->report.matrix = matrix.text;
        entry->report.matrix_instructions = matrix.multiplications;
        hash_bytes_hex(bytes, length, hash);
        entry->report.module_hash = arena_strdup(arena, hash);
    }
    free(bytes);
    return result;
}

// Moves what stands in the entry's place out of the way: a torn entry. A worker that has it open keeps its
// file.
static void torn_entry_remove(const char *dir, const char *stage_dir) {
    char *aside = mem_format("%s.torn", stage_dir);
    if (rename(dir, aside) == 0) file_remove_tree(aside, NULL);
    free(aside);
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
        torn_entry_remove(dir, stage_dir);
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
    entry->module_path = arena_format(arena, "%s/" BUILD_MODULE_NAME, stage_dir);
    int result = build_entry_inspect(entry, arena, err);
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
