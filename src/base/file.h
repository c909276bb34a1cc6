// SPDX-License-Identifier: Apache-2.0
//
// Files and folders: whole-file reads with a limit, atomic writes (temporary name in the same folder, fsync,
// rename, fsync of the folder), append-only journals, paths.
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

// *ret_text is zero-terminated, owned by the caller. ERR_NO_INPUT when missing, ERR_DATA when larger than
// limit_bytes.
int file_read(const char *path, size_t limit_bytes, char **ret_text, size_t *ret_length, struct err *err);

// Replaces path atomically; "-" writes to standard output; a path that is not a regular file (/dev/full, a
// pipe) is written directly. ERR_CREATE when it cannot be created, ERR_IO when writing fails (disk full).
// Nothing half-written is left.
int file_write_atomic(const char *path, const void *bytes, size_t count, struct err *err);

int file_make_dirs(const char *path, struct err *err);            // like mkdir -p
int file_copy(const char *from, const char *to, struct err *err); // atomic, keeps the mode
int file_remove_tree(const char *path,
                     struct err *err); // rm -rf; a missing path is fine; never follows links out
bool file_exists(const char *path);
bool file_is_dir(const char *path);
int64_t file_size_bytes(const char *path);     // -1 when missing
char *path_join(const char *a, const char *b); // caller frees; b absolute gives b
char *path_absolute(const char *path);         // caller frees; need not exist
char *path_dir(const char *path);              // caller frees; "." when none
const char *path_base(const char *path);       // points into path
char *path_cache_dir(void);                    // $XDG_CACHE_HOME/assay, else ~/.cache/assay; caller frees
char *path_self(void);                         // this executable (/proc/self/exe); caller frees
char *path_find_program(const char *name);     // on PATH; NULL when missing; caller frees

// Locks a file (flock), which is created when missing. Closing the descriptor or the process's end
// releases it.
int file_lock_open(const char *path, bool wait, int *ret_fd,
                   struct err *err); // wait false: ERR_UNAVAILABLE if held
void file_lock_close(int fd);        // accepts -1

#endif
