// SPDX-License-Identifier: Apache-2.0
//
// See help.h. The text of --help, and which function makes another form.
#include "control/cmd/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/term.h"
#include "control/cmd/help_forms_internal.h"
#include "gen/assay_config.h"

enum {
    USAGE_INDENT = 11, // of the lines that a long usage is broken into
    SUMMARY_COLUMN = 14
};

// "usage: assay gate ...", each form on lines of its own.
static void add_usage(const char *usage, struct strbuf *out) {
    for (const char *line = usage; *line;) {
        const size_t blanks = strspn(line, " "), length = strcspn(line, "\n");
        char *form = mem_format("%.*s", (int)(length - blanks), line + blanks);
        strbuf_add(out, line == usage ? "usage: " : "       ");
        term_add_wrapped(out, false, TERM_PLAIN, USAGE_INDENT, form);
        strbuf_add_char(out, '\n');
        free(form);
        line += length + (line[length] == '\n');
    }
}

// Paragraphs are filled anew where the page has a width; indented lines, examples, stay as they are.
static void add_details(const char *details, struct strbuf *out) {
    if (!term_page_columns()) {
        strbuf_addf(out, "%s\n", details);
        return;
    }
    for (const char *line = details; *line;) {
        struct strbuf paragraph = {0};
        size_t length = strcspn(line, "\n");
        strbuf_add_bytes(&paragraph, line, length);
        const bool is_prose = *line != ' ' && *line != '\n';
        for (line += length + (line[length] == '\n'); is_prose && *line && *line != ' ' && *line != '\n';
             line += length + (line[length] == '\n')) {
            length = strcspn(line, "\n");
            strbuf_add_char(&paragraph, ' ');
            strbuf_add_bytes(&paragraph, line, length);
        }
        if (is_prose)
            term_add_wrapped(out, false, TERM_PLAIN, 0, strbuf_text(&paragraph));
        else
            strbuf_add(out, strbuf_text(&paragraph));
        strbuf_add_char(out, '\n');
        strbuf_fini(&paragraph);
    }
}

static void text_command(const struct help_page *page, const struct option_table *table, struct strbuf *out) {
    add_usage(page->usage, out);
    strbuf_add_char(out, '\n');
    add_details(page->details, out);
    option_help(table, out);
}

static void add_commands(const struct help_pages *pages, bool is_first_screen, struct strbuf *out) {
    for (size_t i = 0; i < pages->count; ++i) {
        const struct help_page *page = &pages->items[i];
        if (page->is_hidden || page->is_on_first_screen != is_first_screen) continue;
        strbuf_addf(out, "  %s", page->name);
        strbuf_pad(out, SUMMARY_COLUMN);
        term_add_wrapped(out, false, TERM_PLAIN, SUMMARY_COLUMN, page->summary);
        strbuf_add_char(out, '\n');
    }
}

static void text_program(const struct help_pages *pages, struct strbuf *out) {
    strbuf_add(out, "assay " ASSAY_VERSION ": checks, measures and compares compute kernels\n\n"
                    "usage: assay COMMAND [OPTIONS]\n\n");
    add_commands(pages, true, out);
    strbuf_add(out, "\nmore commands\n");
    add_commands(pages, false, out);
    strbuf_add(out, "\nexample\n"
                    "  assay fuzz --kernel simd            is it right?\n"
                    "  assay bench --kernel simd           how fast is it?\n"
                    "  assay gate --baseline git:HEAD      did my edit make it worse?\n"
                    "\n");
    term_add_wrapped(out, false, TERM_PLAIN, 0,
                     "'assay COMMAND --help' shows a command's options and an example.");
    strbuf_add_char(out, '\n');
}

static const struct {
    const char *name, *first_line;
    void (*command)(const struct help_page *page, const struct option_table *table, struct strbuf *out);
    void (*program)(const struct help_pages *pages, struct strbuf *out);
} forms[HELP_FORM_COUNT] = {
    [HELP_TEXT] = {"text", NULL, text_command, text_program},
    [HELP_MAN] = {"man", NULL, help_man_command, help_man_program},
    [HELP_BASH] = {"bash", "# bash completion for assay", help_bash_command, help_bash_program},
    [HELP_ZSH] = {"zsh", "#compdef assay", help_zsh_command, help_zsh_program},
};

int help_form_read(const char *name, enum help_form *ret, struct err *err) {
    for (int i = HELP_FORM_INVALID + 1; i < HELP_FORM_COUNT; ++i) {
        if (!str_equal(name, forms[i].name)) continue;
        *ret = (enum help_form)i;
        return 0;
    }
    return err_set(err, ERR_USAGE, "--help-as takes text, man, bash or zsh");
}

const char *help_form_name(enum help_form form) {
    return forms[form].name;
}

bool help_is_completion(enum help_form form) {
    return forms[form].first_line != NULL;
}

const char *help_first_line(enum help_form form) {
    return forms[form].first_line;
}

void help_add(enum help_form form, const struct help_page *page, const struct option_table *table,
              struct strbuf *out) {
    forms[form].command(page, table, out);
}

void help_program_add(enum help_form form, const struct help_pages *pages, struct strbuf *out) {
    forms[form].program(pages, out);
}
