// SPDX-License-Identifier: Apache-2.0
//
// See referee_keep.h. <cache>/referee/<hour>/ holds the hour's secret and its references, <cache>/referee/
// judged/ an empty file a declaration.
#include "control/flow/referee/referee_keep.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dice.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/rng.h"
#include "base/sha256.h"
#include "base/strbuf.h"
#include "record/declared_members.h"

#define SEED_COUNT    4
#define KEPT_S        3600
#define KEPT_BYTES    ((int64_t)4 << 30)
#define SECRET_NAME   "secret"
#define JUDGED_FOLDER "judged"

static const char *folder_of(struct arena *arena, const char *name) {
    char *cache = path_cache_dir();
    const char *ret = arena_format(arena, "%s/referee/%s", cache, name);
    free(cache);
    return ret;
}

static int64_t size_of(const char *folder) {
    int64_t sum = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *item; dir && (item = readdir(dir));) {
        struct stat info;
        char *path = path_join(folder, item->d_name);
        if (item->d_name[0] != '.' && lstat(path, &info) == 0) sum += info.st_size;
        free(path);
    }
    if (dir) closedir(dir);
    return sum;
}

// A referee that began in the hour before may still use that hour's.
static void remove_old(const char *folder, int64_t hour) {
    DIR *dir = opendir(folder);
    for (struct dirent *item; dir && (item = readdir(dir));) {
        char *end;
        const int64_t its = strtoll(item->d_name, &end, 10);
        if (*end || end == item->d_name || its >= hour - 1) continue;
        char *path = path_join(folder, item->d_name);
        file_remove_tree(path, NULL);
        free(path);
    }
    if (dir) closedir(dir);
}

// The first referee of an hour draws it; link(2) lets one of several win.
static int read_secret(const char *folder, struct arena *arena, uint64_t *ret, struct err *err) {
    const char *path = arena_format(arena, "%s/" SECRET_NAME, folder);
    const char *own = arena_format(arena, "%s.%ld", path, (long)getpid());
    char *text = NULL;
    if (!file_exists(path)) {
        struct dice dice;
        TRY(dice_make_secret(&dice, err));
        const char *drawn = arena_format(arena, "%" PRIu64, dice_u64(&dice));
        TRY(file_write_atomic(own, drawn, strlen(drawn), err));
        (void)!link(own, path); // another one may have been quicker
        unlink(own);
    }
    TRY(file_read(path, 64, &text, NULL, err));
    *ret = strtoull(text, NULL, 10);
    free(text);
    return 0;
}

int referee_keep_open(struct arena *arena, struct referee_keep *ret, struct err *err) {
    const int64_t hour = (int64_t)time(NULL) / KEPT_S;
    const char *root = folder_of(arena, ""), *folder = arena_format(arena, "%s%" PRId64, root, hour);
    struct dice dice;
    uint64_t secret = 0;
    *ret = (struct referee_keep){0};
    TRY(file_check_cache(err));
    TRY(dice_make_secret(&dice, err));
    TRY(file_make_dirs(folder, err));
    if (chmod(folder, S_IRWXU) < 0) return err_set_errno(err, ERR_CREATE, "cannot keep '%s' private", folder);
    remove_old(root, hour);
    TRY(read_secret(folder, arena, &secret, err));
    ret->seed = rng_u64(secret, rng_stream("referee"), dice_below(&dice, SEED_COUNT)) >> 16;
    if (size_of(folder) < KEPT_BYTES) ret->reference_dir = folder;
    return 0;
}

static const struct declared *declared_in(const struct plan *plan) {
    return plan->check_count && !plan->sim ? declared_of(plan->checks[0].problem.op) : NULL;
}

static const char *judged_path(const struct plan *plan, struct arena *arena) {
    char hex[SHA256_HEX_BYTES];
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    const struct own_tolerance *tolerance =
        own_tolerance_choose(NULL, plan->sides[0].tolerance, plan->checks[0].tolerance);
    struct sha256 sha = sha256_make();
    members_write_object(&w, NULL, &declared_members, declared_in(plan), NULL);
    if (tolerance) members_write_object(&w, NULL, &own_tolerance_members, tolerance, NULL);
    sha256_add_text(&sha, strbuf_text(&text));
    strbuf_fini(&text);
    sha256_hex(sha, hex);
    return arena_format(arena, "%s/%s", folder_of(arena, JUDGED_FOLDER), hex);
}

bool referee_keep_is_judged(const struct plan *plan) {
    struct arena arena = {0};
    const bool ret = !declared_in(plan) || file_exists(judged_path(plan, &arena));
    arena_fini(&arena);
    return ret;
}

void referee_keep_add_judged(const struct plan *plan) {
    struct arena arena = {0};
    if (file_make_dirs(folder_of(&arena, JUDGED_FOLDER), NULL) == 0)
        file_write_atomic(judged_path(plan, &arena), "", 0, NULL);
    arena_fini(&arena);
}
