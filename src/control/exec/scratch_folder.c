// SPDX-License-Identifier: Apache-2.0
//
// Folders "assay-scratch-XXXXXX", each locked by the process that made it.
#include "control/exec/scratch_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define PREFIX "assay-scratch-"

enum { FRESH_S = 10 }; // one that young may not be locked yet

static int open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Removes a folder of ours that nobody holds.
static void remove_stale(const char *path) {
    struct stat info;
    const int fd = open_folder(path);
    if (fd < 0) return;
    const bool is_ours = fstat(fd, &info) == 0 && file_is_private_dir(&info);
    if (is_ours && time(NULL) - info.st_mtime > FRESH_S && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)file_remove_tree(path, NULL); // a leftover is no reason not to run
    close(fd);
}

static void remove_all_stale(const char *parent) {
    const struct dirent *entry;
    DIR *entries = opendir(parent);
    if (!entries) return;
    while ((entry = readdir(entries))) {
        if (!str_starts(entry->d_name, PREFIX)) continue;
        char *path = path_join(parent, entry->d_name);
        remove_stale(path);
        free(path);
    }
    closedir(entries);
}

int scratch_folder_open(struct scratch_folder *ret, struct err *err) {
    const char *named = getenv("TMPDIR");
    char *parent = path_absolute(named && *named ? named : "/tmp");
    remove_all_stale(parent);
    *ret = (struct scratch_folder){.path = path_join(parent, PREFIX "XXXXXX"), .fd = -1};
    free(parent);
    if (mkdtemp(ret->path)) ret->fd = open_folder(ret->path);
    if (ret->fd >= 0 && flock(ret->fd, LOCK_EX | LOCK_NB) == 0) return 0;
    const int code = err_set_errno(err, ERR_CREATE, "no scratch folder '%s'; check TMPDIR", ret->path);
    scratch_folder_close(ret);
    return code;
}

void scratch_folder_close(struct scratch_folder *folder) {
    if (!folder->path) return;
    (void)file_remove_tree(folder->path, NULL); // the next run tries again
    if (folder->fd >= 0) close(folder->fd);
    free(folder->path);
    *folder = (struct scratch_folder){0};
}
