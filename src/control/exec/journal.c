// SPDX-License-Identifier: Apache-2.0
//
// Appending and replaying the lines of a journal. A line is on disk when journal_add returns; one that could
// not be written completely is removed again. What the lines mean is decided in record/.
#include "control/exec/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

struct journal {
    int fd;
    char *path;
    off_t length_bytes; // complete lines
};

// Length of the file up to and including its last newline; -1 on a read error.
static off_t complete_length(int fd, off_t size_bytes) {
    char block[4096];
    while (size_bytes > 0) {
        const size_t count = size_bytes < (off_t)sizeof block ? (size_t)size_bytes : sizeof block;
        const off_t start = size_bytes - (off_t)count;
        if (pread(fd, block, count, start) != (ssize_t)count) return -1;
        const char *newline = memrchr(block, '\n', count);
        if (newline) return start + (newline - block) + 1;
        size_bytes = start;
    }
    return 0;
}

int journal_open(const char *path, struct journal **ret, struct err *err) {
    struct stat info;
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return err_set_errno(err, ERR_CREATE, "cannot open the journal '%s'", path);
    off_t length_bytes = fstat(fd, &info) < 0 ? -1 : complete_length(fd, info.st_size);
    if (length_bytes < 0 || (length_bytes < info.st_size && ftruncate(fd, length_bytes) < 0)) {
        int code = err_set_errno(err, ERR_IO, "cannot read the journal '%s'", path);
        close(fd);
        return code;
    }
    char *dir = path_dir(path);
    const int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd >= 0) {
        fsync(dir_fd); // the file's name has to survive too
        close(dir_fd);
    }
    free(dir);
    struct journal *journal = mem_alloc(sizeof *journal);
    *journal = (struct journal){.fd = fd, .path = mem_strdup(path), .length_bytes = length_bytes};
    *ret = journal;
    return 0;
}

int journal_add_later(struct journal *journal, const struct record *record, struct err *err) {
    struct strbuf line = {0};
    record_write(record, &line);
    size_t done = 0;
    int code = 0;
    while (done < line.length && code == 0) {
        const ssize_t written = write(journal->fd, line.text + done, line.length - done);
        if (written >= 0)
            done += (size_t)written;
        else if (errno != EINTR)
            code = err_set_errno(err, ERR_IO, "cannot write the journal '%s'", journal->path);
    }
    strbuf_fini(&line);
    if (code < 0 && ftruncate(journal->fd, journal->length_bytes) < 0)
        return code; // the next reader drops the torn line
    if (code == 0) journal->length_bytes += (off_t)done;
    return code;
}

int journal_add(struct journal *journal, const struct record *record, struct err *err) {
    TRY(journal_add_later(journal, record, err));
    if (fsync(journal->fd) == 0) return 0;
    return err_set_errno(err, ERR_IO, "cannot write the journal '%s' to the disk", journal->path);
}

void journal_close(struct journal *journal) {
    if (!journal) return;
    close(journal->fd);
    free(journal->path);
    free(journal);
}

// Whether a line after the position of `file` had been synced. Then the bad line before it was synced too, so
// it was not damaged by a loss of power. The unsynced lines at the end may be torn anywhere, so an intact
// last line proves nothing.
static bool has_synced_tail(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool was_synced = false, is_found = false;
    while (!is_found && (length = getline(&line, &capacity, file)) > 0 && line[length - 1] == '\n') {
        struct arena arena = {0};
        struct record record;
        is_found = was_synced;
        was_synced = false;
        if (record_parse(line, (size_t)length - 1, &arena, &record, NULL) >= 0) {
            // These are added with fsync (executor.c, job.c), so that a line after one of them proves it is
            // on disk.
            const bool is_kept_check = record.phase == PHASE_CHECK || record.check.outcome != OUTCOME_OK;
            was_synced = record.kind == RECORD_CASE_STATE || (record.kind == RECORD_CHECK && is_kept_check);
        }
        arena_fini(&arena);
    }
    free(line);
    return is_found;
}

// Replaces everything from start_bytes on by a warning.
static int drop_tail(const char *path, off_t start_bytes, const struct record *warning, struct err *err) {
    struct journal *journal = NULL;
    if (truncate(path, start_bytes) < 0)
        return err_set_errno(err, ERR_IO, "cannot mend the journal '%s'", path);
    TRY(journal_open(path, &journal, err));
    int code = journal_add(journal, warning, err);
    journal_close(journal);
    return code;
}

static int replay_lines(FILE *file, const char *path, journal_fn on_record, void *arg, struct err *err) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    off_t start_bytes = 0;
    int code = 0;
    bool is_damaged = false;
    for (unsigned long number = 1; code >= 0 && !is_damaged; ++number) {
        length = getline(&line, &capacity, file);
        if (length <= 0 || line[length - 1] != '\n') break; // the end, or torn: its writer was killed
        struct arena arena = {0};
        struct record record;
        struct err why = {0};
        char text[160];
        code = record_parse(line, (size_t)length - 1, &arena, &record, &why);
        is_damaged = code < 0 && !has_synced_tail(file);
        if (is_damaged) {
            snprintf(text, sizeof text,
                     "the journal was damaged from line %lu on, as by a loss of power: what stood there is "
                     "measured again",
                     number);
            record = (struct record){.kind = RECORD_WARNING, .time_ns = clock_ns(), .text = text};
            code = drop_tail(path, start_bytes, &record, err);
            if (code >= 0) code = on_record(arg, &record, err);
        } else {
            if (code >= 0) code = on_record(arg, &record, &why);
            if (code < 0) code = err_set(err, why.code, "%s:%lu: %s", path, number, why.text);
        }
        arena_fini(&arena);
        start_bytes += length;
    }
    free(line);
    return code;
}

int journal_replay(const char *path, journal_fn on_record, void *arg, struct err *err) {
    struct file_input input;
    if (!file_exists(path)) return 0;
    TRY(file_open(path, SIZE_MAX, &input, err));
    FILE *file = fdopen(input.fd, "r");
    if (!file) {
        file_close(&input);
        return err_set(err, ERR_INTERNAL, "no memory to read the journal '%s'", path);
    }
    int code = replay_lines(file, path, on_record, arg, err);
    if (code >= 0 && ferror(file)) code = err_set_errno(err, ERR_IO, "cannot read the journal '%s'", path);
    fclose(file);
    return code < 0 ? code : 0;
}
