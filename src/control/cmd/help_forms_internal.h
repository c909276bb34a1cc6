// SPDX-License-Identifier: Apache-2.0
//
// The forms that help.c chooses from: manual pages, and completions for bash and zsh.
#ifndef CONTROL_CMD_HELP_FORMS_INTERNAL_H
#define CONTROL_CMD_HELP_FORMS_INTERNAL_H

#include "control/cmd/help_page.h"

void help_man_command(const struct help_page *page, const struct option_table *table, struct strbuf *out);
void help_man_program(const struct help_pages *pages, struct strbuf *out);
void help_bash_command(const struct help_page *page, const struct option_table *table, struct strbuf *out);
void help_bash_program(const struct help_pages *pages, struct strbuf *out);
void help_zsh_command(const struct help_page *page, const struct option_table *table, struct strbuf *out);
void help_zsh_program(const struct help_pages *pages, struct strbuf *out);

#endif
