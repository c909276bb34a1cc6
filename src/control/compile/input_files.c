// SPDX-License-Identifier: Apache-2.0
//
// Hashing the files that match a list of patterns: paths and contents, in the order of their names. Folders
// that are symbolic links are not entered, nor is .git.
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/compile/variant_internal.h"

#define FILES_MAX  100000
#define DEPTH_MAX  64
#define STARS_MAX  8 // each ** multiplies the ways to match
#define NAME_BYTES 1024

// Whether one component of a path matches one of a pattern.
static bool component_matches(const char *pattern, size_t pattern_length, const char *path,
                              size_t path_length) {
    char pattern_part[NAME_BYTES], path_part[NAME_BYTES];
    if (pattern_length >= NAME_BYTES || path_length >= NAME_BYTES) return false;
    memcpy(pattern_part, pattern, pattern_length);
    pattern_part[pattern_length] = 0;
    memcpy(path_part, path, path_length);
    path_part[path_length] = 0;
    return fnmatch(pattern_part, path_part, 0) == 0;
}

bool input_pattern_matches(const char *pattern, const char *path) {
    for (;;) {
        const size_t pattern_length = strcspn(pattern, "/"), path_length = strcspn(path, "/");
        if (pattern_length == 2 && pattern[0] == '*' && pattern[1] == '*') {
            if (!pattern[2]) return true;
            for (const char *rest = path; rest; rest = strchr(rest, '/') ? strchr(rest, '/') + 1 : NULL) {
                if (input_pattern_matches(pattern + 3, rest)) return true;
            }
            return false;
        }
        if (!component_matches(pattern, pattern_length, path, path_length)) return false;
        pattern += pattern_length;
        path += path_length;
        if (!*pattern || !*path) return !*pattern && !*path;
        ++pattern;
        ++path;
    }
}

struct listing {
    char **paths; // relative to the folder
    size_t count, capacity;
};

static int list_folder(const char *root, const char *relative, int depth, struct listing *listing,
                       struct err *err) {
    char *folder = path_join(root, relative);
    DIR *dir = opendir(folder);
    int result = 0;
    if (!dir) result = err_set_errno(err, ERR_NO_INPUT, "cannot read the folder '%s'", folder);
    for (struct dirent *item; dir && result == 0 && (item = readdir(dir));) {
        if (str_equal(item->d_name, ".") || str_equal(item->d_name, "..") || str_equal(item->d_name, ".git"))
            continue;
        char *path = path_join(relative, item->d_name), *whole = path_join(root, path);
        struct stat info;
        if (lstat(whole, &info) == 0 && S_ISDIR(info.st_mode)) {
            if (depth < DEPTH_MAX) result = list_folder(root, path, depth + 1, listing, err);
        } else if (stat(whole, &info) == 0 && S_ISREG(info.st_mode)) {
            MEM_GROW(listing->paths, listing->capacity, listing->count + 1);
            listing->paths[listing->count++] = mem_strdup(path);
            if (listing->count > FILES_MAX) {
                result =
                    err_set(err, ERR_CONFIG,
                            "more than %d files below '%s' to look for build inputs in; put the manifest "
                            "into a smaller folder, or leave out 'inputs'",
                            FILES_MAX, root);
            }
        }
        free(path);
        free(whole);
    }
    if (dir) closedir(dir);
    free(folder);
    return result;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int pattern_check(const char *pattern, const struct listing *listing, const char *dir,
                         struct err *err) {
    int star_count = 0;
    for (const char *p = pattern; (p = strstr(p, "**")); p += 2) ++star_count;
    if (star_count > STARS_MAX) {
        return err_set(err, ERR_CONFIG, "build input '%s' has more than %d '**'", pattern, STARS_MAX);
    }
    for (size_t i = 0; i < listing->count; ++i) {
        if (input_pattern_matches(pattern, listing->paths[i])) return 0;
    }
    return err_set(err, ERR_CONFIG,
                   "build input '%s' matches no file below '%s'; correct 'inputs' in the manifest", pattern,
                   dir);
}

int input_files_hash(const char *dir, const char *const *patterns, size_t pattern_count, const char *except,
                     struct sha256 *sha, struct err *err) {
    struct listing listing = {0};
    int result = list_folder(dir, "", 0, &listing, err);
    for (size_t i = 0; i < pattern_count && result == 0; ++i)
        result = pattern_check(patterns[i], &listing, dir, err);
    if (listing.count) qsort(listing.paths, listing.count, sizeof *listing.paths, by_text);
    for (size_t i = 0; i < listing.count && result == 0; ++i) {
        bool is_input = false;
        for (size_t k = 0; k < pattern_count && !is_input; ++k) {
            is_input = input_pattern_matches(patterns[k], listing.paths[i]);
        }
        if (!is_input || str_equal(listing.paths[i], except)) continue;
        char hex[SHA256_HEX_BYTES], *path = path_join(dir, listing.paths[i]);
        result = sha256_file_hex(path, hex, err);
        free(path);
        if (result < 0) break;
        sha256_add_text(sha, listing.paths[i]);
        sha256_add_text(sha, hex);
    }
    for (size_t i = 0; i < listing.count; ++i) free(listing.paths[i]);
    free(listing.paths);
    return result;
}
