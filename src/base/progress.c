// SPDX-License-Identifier: Apache-2.0
//
// See progress.h. The estimate assumes that the rest runs at the average speed so far.
#include "base/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/term.h"

#define PIECE_PART_MOST 0.95
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

// Of the piece at work so far; never all of it, since it is not over.
static double piece_done(const struct progress *progress, double unit_s, uint64_t now_ns) {
    const double spent = (double)(now_ns - progress->piece_start_ns) * 1e-9 / unit_s;
    return fmin(spent, progress->piece * PIECE_PART_MOST);
}

// Seconds that a unit of work took so far.
static double unit_seconds(const struct progress *progress) {
    const double spent_s = (double)(progress->piece_start_ns - progress->start_ns) * 1e-9;
    const double done = progress->done - progress->done_first;
    return done > 0 && spent_s > 0 ? spent_s / done : 1;
}

double progress_left_s(const struct progress *progress, uint64_t now_ns) {
    if (!(progress->total > 0) || !(progress->done + progress->piece > 0)) return NAN;
    const double unit_s = unit_seconds(progress);
    const double left = progress->total - progress->done - piece_done(progress, unit_s, now_ns);
    return fmax(left, 0) * unit_s;
}

static void draw(struct progress *progress, uint64_t now_ns) {
    const double done = progress->done + piece_done(progress, unit_seconds(progress), now_ns);
    const double fraction = progress->total > 0 ? fmin(fmax(done / progress->total, 0), 1) : 0;
    const double left_s = progress_left_s(progress, now_ns);
    struct strbuf line = {0}, text = {0};
    strbuf_add(&text, progress->label);
    if (isfinite(left_s)) {
        char left[48];
        progress_duration_format(left_s, left, sizeof left);
        strbuf_addf(&text, ", %s%s left", progress->is_at_most ? "at most " : "", left);
    }
    strbuf_add(&line, "\r\033[K[");
    for (int i = 0; i < PROGRESS_BAR_COLUMNS; ++i)
        strbuf_add_char(&line, i < (int)(fraction * PROGRESS_BAR_COLUMNS + 0.5) ? '#' : '.');
    // One line of the terminal, or the next drawing would not cover it.
    const size_t width = term_width(STDERR_FILENO), taken = PROGRESS_BAR_COLUMNS + 4;
    const size_t room = width > taken ? width - taken : 0;
    strbuf_addf(&line, "] %.*s", (int)str_fitting(strbuf_text(&text), room), strbuf_text(&text));
    fputs(line.text, stderr);
    fflush(stderr);
    strbuf_fini(&line);
    strbuf_fini(&text);
    progress->is_drawn = true;
    progress->drawn_ns = now_ns;
}

static void set_label(struct progress *progress, const char *label) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, label, true);
    snprintf(progress->label, sizeof progress->label, "%s", strbuf_text(&plain));
    strbuf_fini(&plain);
}

void progress_begin(struct progress *progress, double done, double piece, const char *label) {
    const uint64_t now_ns = clock_ns();
    if (!progress->label[0]) progress->done_first = done;
    progress->done = done;
    progress->piece = piece;
    progress->piece_start_ns = now_ns;
    set_label(progress, label);
    if (progress->is_enabled && now_ns - progress->start_ns >= PROGRESS_QUIET_NS) draw(progress, now_ns);
}

void progress_set(struct progress *progress, double done, const char *label) {
    progress_begin(progress, done, 0, label);
}

void progress_show(struct progress *progress, const char *verb, const char *what) {
    if (!progress || !progress->is_enabled) return;
    struct strbuf label = {0};
    strbuf_addf(&label, "%s %s", verb, what);
    set_label(progress, strbuf_text(&label));
    strbuf_fini(&label);
    draw(progress, clock_ns());
}

void progress_tick(struct progress *progress, uint64_t every_ns) {
    const uint64_t now_ns = clock_ns();
    if (progress->is_enabled && progress->label[0] && now_ns - progress->start_ns >= PROGRESS_QUIET_NS &&
        (!progress->is_drawn || now_ns - progress->drawn_ns >= every_ns))
        draw(progress, now_ns);
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
