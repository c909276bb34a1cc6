// SPDX-License-Identifier: Apache-2.0
//
// Progress and the time left, drawn on the last line of a terminal; the estimate assumes that the rest runs
// at the average speed so far.
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"

enum { PROGRESS_BAR_COLUMNS = 20 };
static const uint64_t PROGRESS_QUIET_NS = 2000000000u; // work shorter than this needs no bar

void progress_init(struct progress *progress, double total, bool is_allowed) {
    const char *terminal = getenv("TERM");
    *progress = (struct progress){
        .is_enabled = is_allowed && isatty(STDERR_FILENO) && terminal && !str_equal(terminal, "dumb"),
        .start_ns = clock_ns(),
        .total = total,
    };
}

void progress_set(struct progress *progress, double done, const char *label) {
    progress->done = done;
    const uint64_t elapsed_ns = clock_ns() - progress->start_ns;
    if (!progress->is_enabled || elapsed_ns < PROGRESS_QUIET_NS || !(progress->total > 0)) return;
    double fraction = done / progress->total;
    if (!(fraction >= 0)) fraction = 0;
    if (fraction > 1) fraction = 1;
    struct strbuf line = {0};
    strbuf_add(&line, "\r\033[K[");
    for (int i = 0; i < PROGRESS_BAR_COLUMNS; ++i) {
        strbuf_add_char(&line, i < (int)(fraction * PROGRESS_BAR_COLUMNS + 0.5) ? '#' : '.');
    }
    strbuf_add(&line, "] ");
    strbuf_add_plain(&line, label, true);
    if (fraction > 0) {
        char left[48];
        progress_duration_format((double)elapsed_ns * 1e-9 * (1 - fraction) / fraction, left, sizeof left);
        strbuf_addf(&line, ", %s left", left);
    }
    fputs(line.text, stderr);
    fflush(stderr);
    strbuf_fini(&line);
    progress->is_drawn = true;
}

void progress_hide(struct progress *progress) {
    if (!progress->is_drawn) return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    progress->is_drawn = false;
}

void progress_fini(struct progress *progress) {
    progress_hide(progress);
    progress->is_enabled = false;
}

void progress_duration_format(double seconds, char *ret_text, unsigned capacity) {
    if (!(seconds >= 0)) seconds = 0;
    if (seconds > 1e9) seconds = 1e9;
    const long whole = (long)(seconds + 0.5);
    if (seconds < 9.95) {
        snprintf(ret_text, capacity, "%.1f s", seconds);
    } else if (whole < 60) {
        snprintf(ret_text, capacity, "%ld s", whole);
    } else if (whole < 3600) {
        snprintf(ret_text, capacity, "%ld min %ld s", whole / 60, whole % 60);
    } else {
        snprintf(ret_text, capacity, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
    }
}
