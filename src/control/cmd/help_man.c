// SPDX-License-Identifier: Apache-2.0
//
// Manual pages: assay(1), and assay-COMMAND(1) for each command.
#include <string.h>

#include "control/cmd/help_forms_internal.h"
#include "gen/assay_config.h"

// Text for troff: marks that it would read or typeset are escaped.
static void add_escaped(struct strbuf *out, const char *text, size_t length) {
    if (length && (*text == '.' || *text == '\'')) strbuf_add(out, "\\&");
    for (size_t i = 0; i < length; ++i) {
        switch (text[i]) {
        case '\\': strbuf_add(out, "\\e"); break;
        case '-': strbuf_add(out, "\\-"); break;
        case '\'': strbuf_add(out, "\\(aq"); break;
        case '`': strbuf_add(out, "\\(ga"); break;
        case '^': strbuf_add(out, "\\(ha"); break;
        case '~': strbuf_add(out, "\\(ti"); break;
        default: strbuf_add_char(out, text[i]);
        }
    }
}

static void add_text(struct strbuf *out, const char *text) {
    add_escaped(out, text, strlen(text));
}

static void add_head(struct strbuf *out, const char *name, const char *summary) {
    strbuf_add(out, ".TH \"");
    for (const char *c = name; *c; ++c) strbuf_add_char(out, *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    strbuf_add(out, "\" 1 \"\" \"assay " ASSAY_VERSION "\" \"assay\"\n.ad l\n.nh\n.SH NAME\n");
    add_text(out, name);
    strbuf_add(out, " \\- ");
    add_text(out, summary);
    strbuf_add_char(out, '\n');
}

// One line of details: a heading, an empty line between paragraphs, an example, or text.
static void add_details_line(struct strbuf *out, const char *line, size_t length, bool is_first,
                             bool *is_example) {
    const bool is_heading = length >= 7 && strncmp(line, "example", 7) == 0 && length <= 8;
    if (length == 0) return;
    if (is_heading) {
        strbuf_add(out, ".SH EXAMPLES\n.EX\n");
        *is_example = true;
        return;
    }
    // What a command answers, and what follows it, begin a paragraph.
    if (!*is_example && (strncmp(line, "Codes", 5) == 0 || is_first)) strbuf_add(out, ".PP\n");
    add_escaped(out, line, length);
    strbuf_add_char(out, '\n');
}

static void add_details(struct strbuf *out, const char *details) {
    bool is_example = false, is_first = true;
    for (const char *line = details; *line;) {
        const size_t length = strcspn(line, "\n");
        add_details_line(out, line, length, is_first, &is_example);
        is_first = length == 0; // of a paragraph
        line += length + (line[length] == '\n');
    }
    if (is_example) strbuf_add(out, ".EE\n");
}

static void add_usage(struct strbuf *out, const char *usage) {
    strbuf_add(out, ".SH SYNOPSIS\n.nf\n");
    for (const char *line = usage; *line;) {
        line += strspn(line, " ");
        const size_t length = strcspn(line, "\n");
        add_escaped(out, line, length);
        strbuf_add_char(out, '\n');
        line += length + (line[length] == '\n');
    }
    strbuf_add(out, ".fi\n");
}

static void add_option(struct strbuf *out, const struct option *option) {
    strbuf_add(out, ".TP\n\\fB\\-\\-");
    add_text(out, option->name);
    strbuf_add(out, "\\fR");
    if (option->value_name) strbuf_add(out, " \\fI");
    if (option->value_name) add_text(out, option->value_name);
    strbuf_add(out, option->value_name ? "\\fR\n" : "\n");
    add_text(out, option->help);
    strbuf_add_char(out, '\n');
}

static void add_options(struct strbuf *out, const struct option_table *table) {
    const char *headings[OPTION_HEADINGS_MAX];
    const size_t count = option_headings(table, headings);
    strbuf_add(out, ".SH OPTIONS\n");
    for (size_t h = 0; h < count; ++h) {
        if (headings[h]) strbuf_addf(out, ".SS %s\n", headings[h]);
        for (size_t i = 0; i < table->count; ++i)
            if (option_is_under(table, i, headings[h])) add_option(out, &table->items[i]);
    }
}

void help_man_command(const struct help_page *page, const struct option_table *table, struct strbuf *out) {
    struct strbuf name = {0};
    strbuf_addf(&name, "assay-%s", page->name);
    add_head(out, strbuf_text(&name), page->summary);
    strbuf_fini(&name);
    add_usage(out, page->usage);
    strbuf_add(out, ".SH DESCRIPTION\n");
    add_details(out, page->details);
    add_options(out, table);
    strbuf_add(out, ".SH SEE ALSO\n.BR assay (1)\n");
}

void help_man_program(const struct help_pages *pages, struct strbuf *out) {
    add_head(out, "assay", "checks, measures and compares compute kernels");
    add_usage(out, "assay COMMAND [OPTIONS]\nassay COMMAND --help\nassay --version");
    strbuf_add(out,
               ".SH DESCRIPTION\n"
               "assay checks every element of a kernel's output against a float64 reference, measures its "
               "time with confidence intervals, and compares it with a baseline at a stated rate of false "
               "alarms.\n.SH COMMANDS\n");
    for (size_t i = 0; i < pages->count; ++i) {
        if (pages->items[i].is_hidden) continue;
        strbuf_addf(out, ".TP\n.BR assay\\-%s (1)\n", pages->items[i].name);
        add_text(out, pages->items[i].summary);
        strbuf_add_char(out, '\n');
    }
    strbuf_add(out, ".SH EXIT STATUS\n"
                    "0: nothing got worse. 1: a regression or a wrong result. 2: no significant difference "
                    "(compare). 3: undecidable or invalid. Every other code is one of\n.BR sysexits (3).\n"
                    ".SH FILES\n.TP\n.I assay.yaml\nThe manifest: kernels, suites, the gate.\n.TP\n.I runs/\n"
                    "One folder for each run, beside the manifest: plan, journal, result, reports.\n");
}
