// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a page share: the problems as rows, the worst first, and how a verdict looks.
#ifndef REPORT_HTML_HTML_VIEW_INTERNAL_H
#define REPORT_HTML_HTML_VIEW_INTERNAL_H

#include "base/arena.h"
#include "report/result/report.h"
#include "report/result/report_block.h"

// How a verdict looks: a class of the style sheet, a sign (#i-bad of the page). Never colour alone.
enum html_tone { TONE_NEUTRAL = 0, TONE_HELD, TONE_GOOD, TONE_UNSURE, TONE_BAD, TONE_COUNT };
const char *html_tone_name(enum html_tone tone); // "bad"
enum html_tone html_tone_of_verdict(enum verdict verdict);

// A problem of a decision, or a problem and side of a run without one.
struct html_row {
    size_t number;                       // its place in the suite
    const struct result_case *item;      // NULL: not in this result
    const struct decision_case *decided; // NULL: a run without a decision
    uint32_t side;                       // of a run without a decision
    const char *name, *label;            // label: the side's; NULL: both
    const char *word, *reason;           // "regression", why; word NULL: measured, no more
    enum html_tone tone;
    double change_pct, low_pct, high_pct; // of the time; without a decision, above the problem's fastest
    const char *change, *interval;        // as text: "9.8 % slower", "(9.4 to 10.3)"
    bool has_details;                     // the first row of a problem that gets charts
};

struct html_view {
    const struct result *result;
    const struct report_options *options;
    struct arena *arena;
    struct strbuf *out;   // of the main part
    struct strbuf *links; // to its sections
    size_t row_count;
    struct html_row *rows; // the worst first
    size_t points_max;     // of one side of one chart
};

void html_view_fill(struct html_view *view); // rows and points_max, from the result
void html_change_add(const struct html_view *view, const struct html_row *row); // its text
const char *html_measured(const struct html_view *view); // "time"; "count", if the run counted

// Sections with a heading: <section> is open after it, and the page's list of links names it.
void html_section_begin(const struct html_view *view, const char *id, const char *title);
void html_section_end(const struct html_view *view);

// The parts of the page, one file each.
void html_overview_add(const struct html_view *view); // all problems: table with an interval plot
// What was decided and how sure. figures: the tables of the text report, whose last lines sum them up.
void html_verdict_add(const struct html_view *view, const struct report_blocks *figures);
void html_pill_add(const struct html_view *view, enum html_tone tone, const char *text); // sign and word
int html_problems_add(const struct html_view *view);  // one by one, folded; -1: no memory
void html_roofline_add(const struct html_view *view); // drawing and table; nothing without a roofline
void html_distribution_add(const struct html_view *view, const struct result_case *item);
// -1: no memory.
int html_course_add(const struct html_view *view, const struct result_case *item);

#endif
