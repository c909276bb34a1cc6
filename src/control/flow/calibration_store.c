// SPDX-License-Identifier: Apache-2.0
//
// See calibration_store.h. Read, add, write, all under one lock next to the files.
#include "control/flow/calibration_store.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

static char *store_dir(void) {
    char *cache = path_cache_dir();
    char *dir = path_join(cache, "calibrations");
    free(cache);
    return dir;
}

char *calibration_store_path(const char *device_uuid, int64_t thread_count) {
    char *dir = store_dir(), *name = mem_strdup(device_uuid);
    for (char *c = name; *c; ++c)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '_') *c = '_';
    char *path = mem_format("%s/%s-%lld.json", dir, name, (long long)thread_count);
    free(name);
    free(dir);
    return path;
}

bool calibration_store_has_any(void) {
    char *path = store_dir();
    DIR *dir = opendir(path);
    bool is_found = false;
    for (struct dirent *entry; dir && !is_found && (entry = readdir(dir));)
        is_found = str_ends(entry->d_name, ".json");
    if (dir) closedir(dir);
    free(path);
    return is_found;
}

int calibration_store_read(const char *device_uuid, int64_t thread_count, struct calibration *ret,
                           struct err *err) {
    *ret = (struct calibration){0};
    TRY(file_check_cache(err));
    char *path = calibration_store_path(device_uuid, thread_count);
    int code = CALIBRATION_ABSENT;
    if (file_exists(path)) {
        json_t *root = NULL;
        code = json_read_file(path, &root, err);
        if (code == 0) code = calibration_parse(root, path, ret, err);
        json_decref(root);
        // A file that was copied from another machine does not describe this one.
        if (code == 0 && (!str_equal(ret->device_uuid, device_uuid) || ret->thread_count != thread_count))
            code =
                err_set(err, ERR_DATA, "%s: is of device '%s' with %lld threads, not of '%s' with %lld", path,
                        ret->device_uuid, (long long)ret->thread_count, device_uuid, (long long)thread_count);
        if (code < 0) {
            struct err why = *err;
            err_set(err, why.code, "%s; delete %s and run 'assay calibrate' again", why.text, path);
            calibration_fini(ret);
        } else {
            code = CALIBRATION_STORED;
        }
    }
    free(path);
    return code;
}

static int add_and_write(const struct environment *environment, const struct calibration_study *studies,
                         size_t study_count, struct calibration *ret, struct err *err) {
    TRY(calibration_store_read(environment->device_uuid, environment->thread_count, ret, err));
    ret->device = arena_strdup(&ret->arena, environment->device);
    ret->device_name = arena_strdup(&ret->arena, environment->device_name);
    ret->device_uuid = arena_strdup(&ret->arena, environment->device_uuid);
    ret->thread_count = environment->thread_count;
    for (size_t i = 0; i < study_count; ++i) calibration_add_study(ret, &studies[i]);
    struct strbuf text = {0};
    calibration_write(ret, &text);
    char *path = calibration_store_path(environment->device_uuid, environment->thread_count);
    int code = file_write_atomic(path, strbuf_text(&text), text.length, err);
    free(path);
    strbuf_fini(&text);
    if (code < 0) calibration_fini(ret);
    return code;
}

int calibration_store_add(const struct environment *environment, const struct calibration_study *studies,
                          size_t study_count, struct calibration *ret, struct err *err) {
    *ret = (struct calibration){0};
    TRY(file_check_cache(err));
    char *dir = store_dir(), *lock = path_join(dir, "lock");
    int fd = -1, code = file_make_dirs(dir, err);
    if (code == 0) code = file_lock_open(lock, true, &fd, err);
    if (code == 0) code = add_and_write(environment, studies, study_count, ret, err);
    file_lock_close(fd);
    free(lock);
    free(dir);
    return code;
}
