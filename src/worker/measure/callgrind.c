// SPDX-License-Identifier: Apache-2.0
//
// See callgrind.h.
#include "worker/measure/callgrind.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"

enum { ARGUMENTS_MAX = 16, LAST_WORDS = 300 };
#define COUNT_BYTES_MAX ((size_t)256 << 20)

// The figure of a line "totals: 133421"; 0: the line is another one, or no figure that counts follows.
static uint64_t total_of(const char *line, size_t length) {
    static const char key[] = "totals: ";
    const size_t start = sizeof key - 1;
    uint64_t total = 0;
    if (length <= start || memcmp(line, key, start) != 0) return 0;
    for (size_t i = start; i < length; ++i) {
        const unsigned digit = (unsigned char)line[i] - (unsigned)'0';
        if (digit > 9 || total > (UINT64_MAX - digit) / 10) return 0;
        total = 10 * total + digit;
    }
    return total;
}

int callgrind_parse(const char *text, size_t length, uint64_t *ret, struct err *err) {
    uint64_t found = 0;
    for (size_t at = 0; at < length;) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t count = end ? (size_t)(end - text) - at : length - at;
        const uint64_t total = total_of(text + at, count);
        if (total) found = total;
        at += count + 1;
    }
    if (!found) return err_set(err, ERR_DATA, "callgrind counted no instructions");
    *ret = found;
    return 0;
}

// The program's own line of an error, else what was printed last.
static void fail_with(const struct proc_status *status, char *tail, struct err *err) {
    struct strbuf how = {0};
    proc_status_format(status, &how);
    char *said = tail ? strstr(tail, "assay: error: ") : NULL;
    const char *words = said ? said + strlen("assay: error: ") : tail ? tail : "";
    if (said) said[strcspn(said, "\n")] = 0;
    const size_t length = strlen(words), from = length > LAST_WORDS ? length - LAST_WORDS : 0;
    const bool is_unknown = status->end == PROC_SIGNALED && status->signal == SIGILL;
    (void)err_set(err, ERR_UNAVAILABLE, "in Valgrind it %s%s%s%s", strbuf_text(&how),
                  is_unknown ? ": an instruction that Valgrind does not know, such as AVX-512" : "",
                  *words ? ": " : "", words + from);
    strbuf_fini(&how);
}

static int run(const struct callgrind_request *request, const char *program, int fd, struct err *err) {
    static const char *const one_thread[] = {"OMP_NUM_THREADS=1", NULL};
    char out[64], within[96];
    const char *argv[ARGUMENTS_MAX] = {program, "-q", "--tool=callgrind", out, within};
    size_t count = 5;
    // Not a file: nothing is left behind however it ends.
    snprintf(out, sizeof out, "--callgrind-out-file=/proc/self/fd/%d", fd);
    snprintf(within, sizeof within, "--toggle-collect=%s", request->function);
    for (size_t i = 0; request->argv[i] && count + 1 < ARGUMENTS_MAX; ++i) argv[count++] = request->argv[i];
    const struct proc_spec spec = {.argv = argv,
                                   .env_add = one_thread,
                                   .kept_fds = &fd,
                                   .kept_fd_count = 1,
                                   .stdin_text = request->stdin_text,
                                   .stdin_length = request->stdin_length};
    struct proc *proc = NULL;
    struct proc_status status;
    char *line, *tail = NULL;
    TRY(proc_open(&spec, &proc, err));
    int code;
    do {
        code = proc_next_line(proc, 0, &line, err);
    } while (code > 0);
    proc_close(proc, &status, &tail);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code != 0)) {
        fail_with(&status, tail, err);
        code = -ERR_UNAVAILABLE;
    }
    free(tail);
    return code;
}

int callgrind_run(const struct callgrind_request *request, uint64_t *ret, struct err *err) {
    char path[32];
    char *program = path_find_program(CALLGRIND_PROGRAM), *text = NULL;
    if (!program)
        return err_set(err, ERR_UNAVAILABLE,
                       "counting instructions needs Valgrind, which is not on PATH: install the package "
                       "'valgrind', or measure time");
    const int fd = proc_keep_fd(memfd_create("assay-count", MFD_CLOEXEC));
    int code = fd < 0 ? err_set_errno(err, ERR_UNAVAILABLE, "no memory file for a count") : 0;
    if (code == 0) code = run(request, program, fd, err);
    free(program);
    size_t length = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (code == 0) code = file_read(path, COUNT_BYTES_MAX, &text, &length, err);
    if (code == 0) code = callgrind_parse(text, length, ret, err);
    free(text);
    if (fd >= 0) close(fd);
    return code;
}
