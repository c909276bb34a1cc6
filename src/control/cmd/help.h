// SPDX-License-Identifier: Apache-2.0
//
// Help in its forms, all made from the commands' own tables: text for --help; manual pages and completions
// for the hidden option --help-as, which the build calls (scripts/help_pages.sh).
#ifndef CONTROL_CMD_HELP_H
#define CONTROL_CMD_HELP_H

#include "base/err.h"
#include "control/cmd/help_page.h"

enum help_form { HELP_FORM_INVALID = 0, HELP_TEXT, HELP_MAN, HELP_BASH, HELP_ZSH, HELP_FORM_COUNT };
int help_form_read(const char *name, enum help_form *ret, struct err *err); // ERR_USAGE
const char *help_form_name(enum help_form form);                            // "text", "man", "bash", "zsh"
// Whether the form is one file for the whole program: a first line, the part of each command, the end.
bool help_is_completion(enum help_form form);

// One command's help.
void help_add(enum help_form form, const struct help_page *page, const struct option_table *table,
              struct strbuf *out);

// The program's. Of a completion: its end.
void help_program_add(enum help_form form, const struct help_pages *pages, struct strbuf *out);
const char *help_first_line(enum help_form form); // of a completion

#endif
