// SPDX-License-Identifier: Apache-2.0
//
// Is what was measured safe? A line is on disk when journal_add returns; a line that could not be written
// whole is taken back. What the lines mean is record/'s business.
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

struct replay {
    journal_fn on_record;
    void *arg;
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

static void sync_folder(const char *path) {
    char *dir = path_dir(path);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(dir);
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
    sync_folder(path);
    struct journal *journal = mem_alloc(sizeof *journal);
    *journal = (struct journal){.fd = fd, .path = mem_strdup(path), .length_bytes = length_bytes};
    *ret = journal;
    return 0;
}

// Writes text, which ends with a newline, whole or not at all.
static int append(struct journal *journal, const char *text, size_t length, struct err *err) {
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(journal->fd, text + done, length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            int code = err_set_errno(err, ERR_IO, "cannot write the journal '%s'", journal->path);
            if (ftruncate(journal->fd, journal->length_bytes) < 0)
                return code; // then the next reader drops the torn line
            return code;
        }
        done += (size_t)written;
    }
    journal->length_bytes += (off_t)length;
    return 0;
}

static int sync_now(struct journal *journal, struct err *err) {
    if (fsync(journal->fd) == 0) return 0;
    return err_set_errno(err, ERR_IO, "cannot write the journal '%s' to the disk", journal->path);
}

int journal_add_line(struct journal *journal, const char *line, size_t length, struct err *err) {
    struct strbuf text = {0};
    strbuf_add_bytes(&text, line, length);
    strbuf_add_char(&text, '\n');
    int added = append(journal, text.text, text.length, err);
    strbuf_fini(&text);
    return added < 0 ? added : sync_now(journal, err);
}

int journal_add_later(struct journal *journal, const struct record *record, struct err *err) {
    struct strbuf text = {0};
    record_write(record, &text);
    int added = append(journal, text.text, text.length, err);
    strbuf_fini(&text);
    return added;
}

int journal_add(struct journal *journal, const struct record *record, struct err *err) {
    TRY(journal_add_later(journal, record, err));
    return sync_now(journal, err);
}

void journal_close(struct journal *journal) {
    if (!journal) return;
    close(journal->fd);
    free(journal->path);
    free(journal);
}

// Whether a sync follows the record when it is added (executor.c, job.c): so a line behind it says it is on
// the disk.
static bool is_synced(const struct record *record) {
    if (record->kind == RECORD_CASE_STATE) return true;
    return record->kind == RECORD_CHECK &&
           (record->phase == PHASE_CHECK || record->check.outcome != OUTCOME_OK);
}

// Is something behind the place of `file` that had been synced, and with it the bad line before it? Such a
// line was not left by a loss of power. The last group of lines may be torn anywhere, so the file's last line
// proves nothing.
static bool has_synced_rest(FILE *file) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    bool was_synced = false, is_found = false;
    while (!is_found && (length = getline(&line, &capacity, file)) > 0 && line[length - 1] == '\n') {
        struct arena arena = {0};
        struct record record;
        is_found = was_synced;
        was_synced = record_parse(line, (size_t)length - 1, &arena, &record, NULL) >= 0 && is_synced(&record);
        arena_fini(&arena);
    }
    free(line);
    return is_found;
}

// Replaces everything from start_bytes on by a warning, which is handed on too.
static int drop_rest(const char *path, off_t start_bytes, unsigned long number, const struct replay *replay,
                     struct err *err) {
    struct journal *journal = NULL;
    char text[160];
    snprintf(
        text, sizeof text,
        "the journal was damaged from line %lu on, as by a loss of power: what stood there is measured again",
        number);
    const struct record warning = {.kind = RECORD_WARNING, .time_ns = clock_ns(), .text = text};
    if (truncate(path, start_bytes) < 0)
        return err_set_errno(err, ERR_IO, "cannot mend the journal '%s'", path);
    TRY(journal_open(path, &journal, err));
    int code = journal_add(journal, &warning, err);
    journal_close(journal);
    return code < 0 ? code : replay->on_record(replay->arg, &warning, err);
}

// Returns 1 when the line is no record.
static int replay_line(const char *line, size_t length, const struct replay *replay, struct err *err) {
    struct arena arena = {0};
    struct record record;
    int code = record_parse(line, length, &arena, &record, err);
    code = code < 0 ? 1 : replay->on_record(replay->arg, &record, err);
    arena_fini(&arena);
    return code;
}

static int replay_lines(FILE *file, const char *path, const struct replay *replay, struct err *err) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    off_t start_bytes = 0;
    int code = 0;
    for (unsigned long number = 1; code == 0 && (length = getline(&line, &capacity, file)) > 0; ++number) {
        if (line[length - 1] != '\n') break; // torn: its writer was killed
        struct err why = {0};
        code = replay_line(line, (size_t)length - 1, replay, &why);
        if (code > 0 && !has_synced_rest(file)) {
            code = drop_rest(path, start_bytes, number, replay, err);
            break;
        }
        if (code != 0) code = err_set(err, why.code, "%s:%lu: %s", path, number, why.text);
        start_bytes += length;
    }
    free(line);
    return code;
}

int journal_replay(const char *path, journal_fn on_record, void *arg, struct err *err) {
    const struct replay replay = {on_record, arg};
    FILE *file = fopen(path, "re");
    if (!file && errno == ENOENT) return 0;
    if (!file) return err_set_errno(err, ERR_IO, "cannot read the journal '%s'", path);
    int code = replay_lines(file, path, &replay, err);
    if (code >= 0 && ferror(file)) code = err_set_errno(err, ERR_IO, "cannot read the journal '%s'", path);
    fclose(file);
    return code < 0 ? code : 0;
}
