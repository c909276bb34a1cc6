// SPDX-License-Identifier: Apache-2.0
//
// Copies a tree that a kernel under test has written, after its end, and so takes every file as hostile: it
// is only copied. Of the folders' names, which mkdtemp has made equally long, one is put in place of another.
#include "worker/host/host_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define TREE_BYTES_MAX ((uint64_t)2 << 30)
#define FILE_BYTES_MAX ((off_t)256 << 20)

enum { ENTRIES_MAX = 20000, DEPTH_MAX = 24 };

struct copy {
    const char *before, *after; // texts of one length; NULL: files stay as they are
    uint64_t byte_count;
    size_t entry_count; // files and folders
};

// What no file holds by itself, as long as a folder's name.
static char *stand_in(const char *name) {
    static const char word[] = "\\assay-host-folder";
    const size_t length = strlen(name);
    char *ret = mem_alloc(length + 1);
    for (size_t i = 0; i < length; ++i) ret[i] = word[i % (sizeof word - 1)];
    return ret;
}

static void rename_places(const struct copy *copy, char *text, size_t length) {
    const size_t name_bytes = strlen(copy->before);
    for (char *at = text; (at = memmem(at, length - (size_t)(at - text), copy->before, name_bytes));)
        memcpy(at, copy->after, name_bytes);
}

static bool read_all(int fd, char *text, size_t length) {
    for (size_t done = 0; done < length;) {
        const ssize_t got = read(fd, text + done, length - done);
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_all(int fd, const char *text, size_t length) {
    for (size_t done = 0; done < length;) {
        const ssize_t written = write(fd, text + done, length - done);
        if (written <= 0) return false;
        done += (size_t)written;
    }
    return true;
}

static void copy_file(struct copy *copy, const char *from, const char *to) {
    struct stat info;
    const int source = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (source < 0) return;
    const bool is_wanted = fstat(source, &info) == 0 && S_ISREG(info.st_mode) &&
                           info.st_size <= FILE_BYTES_MAX && copy->entry_count < ENTRIES_MAX &&
                           copy->byte_count + (uint64_t)info.st_size <= TREE_BYTES_MAX;
    const int target = is_wanted ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (target >= 0) {
        const size_t length = (size_t)info.st_size;
        char *text = mem_alloc(length + 1);
        ++copy->entry_count;
        copy->byte_count += length;
        bool is_copied = read_all(source, text, length);
        if (is_copied) rename_places(copy, text, length);
        is_copied = is_copied && write_all(target, text, length);
        free(text);
        close(target);
        if (!is_copied) unlink(to);
    }
    close(source);
}

static void copy_tree(struct copy *copy, const char *from, const char *to, int depth) {
    const struct dirent *entry;
    const int fd = open(from, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    if (!entries && fd >= 0) close(fd);
    if (!entries || mkdir(to, 0700) < 0) {
        if (entries) closedir(entries);
        return;
    }
    ++copy->entry_count;
    while (copy->entry_count < ENTRIES_MAX && (entry = readdir(entries))) {
        struct stat info;
        if (str_equal(entry->d_name, ".") || str_equal(entry->d_name, "..")) continue;
        char *source = path_join(from, entry->d_name), *target = path_join(to, entry->d_name);
        const bool is_there = lstat(source, &info) == 0;
        if (is_there && S_ISDIR(info.st_mode) && depth < DEPTH_MAX)
            copy_tree(copy, source, target, depth + 1);
        else if (is_there && S_ISREG(info.st_mode))
            copy_file(copy, source, target);
        free(source);
        free(target);
    }
    closedir(entries);
}

void host_cache_freeze(const char *scratch_dir, const char *to) {
    char *from = path_join(scratch_dir, HOST_CACHE_NAME), *name = stand_in(scratch_dir);
    struct copy copy = {.before = scratch_dir, .after = name};
    copy_tree(&copy, from, to, 0);
    free(name);
    free(from);
}

void host_cache_thaw(const char *from, const char *scratch_dir) {
    char *to = path_join(scratch_dir, HOST_CACHE_NAME), *name = stand_in(scratch_dir);
    struct copy copy = {.before = name, .after = scratch_dir};
    copy_tree(&copy, from, to, 0);
    free(name);
    free(to);
}
