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

// A file that somebody else named, to be read piece by piece. It must be an ordinary file: a folder, a pipe,
// a device is ERR_NO_INPUT at once, and nothing here waits.
struct file_input {
    int fd;           // -1: closed
    const char *path; // of the caller
    size_t limit_bytes, growth_limit_bytes, read_bytes;
    unsigned mode; // permissions
};
#define FILE_CHUNK_BYTES ((size_t)1 << 16) // a good size for file_next

// ERR_NO_INPUT also when missing; ERR_DATA when larger than limit_bytes.
int file_open(const char *path, size_t limit_bytes, struct file_input *ret, struct err *err);
// *ret_count is 0 at the end. ERR_DATA beyond the limit, or for a file that never ends; ERR_IO.
int file_next(struct file_input *file, char *buffer, size_t capacity, size_t *ret_count, struct err *err);
void file_close(struct file_input *file);

// Reads the whole file in pieces, each of which is passed on. Errors of file_open and file_next.
typedef void (*file_feed_fn)(void *arg, const char *bytes, size_t count);
int file_feed(const char *path, file_feed_fn add, void *arg, struct err *err);

// *ret_text is zero-terminated, owned by the caller. Errors of file_open and file_next.
int file_read(const char *path, size_t limit_bytes, char **ret_text, size_t *ret_length, struct err *err);
// The same of a file that a stranger left: a symbolic link is refused (ERR_NO_INPUT).
int file_read_no_link(const char *path, size_t limit_bytes, char **ret_text, size_t *ret_length,
                      struct err *err);

// Replaces path atomically; "-" writes to standard output; a path that is not a regular file (/dev/full, a
// pipe with a reader) is written directly. ERR_CREATE when it cannot be created, ERR_IO when writing fails
// (disk full). Nothing half-written is left.
int file_write_atomic(const char *path, const void *bytes, size_t count, struct err *err);

// Whether file_write_atomic can create path, for a command that works long before it writes: its folder is
// there and takes a file. ERR_CREATE, ERR_IO; nothing is left.
int file_check_target(const char *path, struct err *err);

int file_make_dirs(const char *path, struct err *err);            // like mkdir -p
int file_copy(const char *from, const char *to, struct err *err); // atomic, keeps the mode
int file_remove_tree(const char *path,
                     struct err *err); // rm -rf; a missing path is fine; never follows links out
// A folder that is ours, and that nobody else may write to.
struct stat;
bool file_is_private_dir(const struct stat *info);
// To be called before anything of path_cache_dir() is read: anybody may have made a temporary one. It is made
// where it is missing. ERR_UNAVAILABLE: it is not private.
int file_check_cache(struct err *err);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
int64_t file_size_bytes(const char *path);     // -1 when missing
char *path_join(const char *a, const char *b); // caller frees; b absolute gives b
char *path_absolute(const char *path);         // caller frees; need not exist
bool path_leads_out(const char *path);         // absolute, or its ".." leave the folder that it begins in
// Whether it is the folder or lies below it, by their names. NULL lies nowhere.
bool path_is_within(const char *path, const char *folder);
char *path_dir(const char *path);        // caller frees; "." when none
const char *path_base(const char *path); // points into path
char *path_cache_dir(void);              // $XDG_CACHE_HOME/assay, else ~/.cache/assay; caller frees
bool path_cache_is_temporary(
    void);             // neither is known: path_cache_dir() is $TMPDIR/assay-cache-UID, or of /tmp
char *path_self(void); // this executable (/proc/self/exe); caller frees
char *path_beside_self(const char *relative); // absolute, relative to the folder of it; caller frees
char *path_find_program(const char *name);    // on PATH; NULL when missing; caller frees

// Locks a file (flock), which is created when missing. Closing the descriptor or the process's end
// releases it.
int file_lock_open(const char *path, bool wait, int *ret_fd,
                   struct err *err); // wait false: ERR_UNAVAILABLE if held
void file_lock_close(int fd);        // accepts -1

#endif
