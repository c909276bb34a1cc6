// SPDX-License-Identifier: Apache-2.0
//
// The program: finds the subcommand, runs it, and checks that its output was written.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/own_process.h"
#include "control/cmd/command.h"
#include "control/exec/executor.h"
#include "gen/assay_config.h"

#define EXIT_USAGE 64
#define EXIT_WRITE 74

#define COMMAND_ENTRY(name) &command_##name,
static const struct command *const command_table[] = {COMMANDS(COMMAND_ENTRY)};
#undef COMMAND_ENTRY
enum { COMMAND_COUNT = sizeof command_table / sizeof *command_table };

static int print_help(enum help_form form) {
    struct help_page pages[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; ++i) pages[i] = cmd_help_page(command_table[i]);
    struct strbuf out = {0};
    help_program_add(form, &(struct help_pages){pages, COMMAND_COUNT}, &out);
    return cmd_print_free(&out);
}

// One file for a shell: every command adds its own part.
static int print_completion(enum help_form form) {
    struct strbuf head = {0};
    strbuf_addf(&head, "%s\n# made by: assay --help-as\n", help_first_line(form));
    int code = cmd_print_free(&head);
    for (size_t i = 0; i < COMMAND_COUNT && code == 0; ++i) {
        char option[] = "--help-as", *name = mem_strdup(command_table[i]->name);
        char *value = mem_strdup(help_form_name(form));
        if (!command_table[i]->is_hidden)
            code = command_table[i]->run(command_table[i], 3, (char *[]){name, option, value, NULL});
        free(value);
        free(name);
    }
    return code ? code : print_help(form);
}

static int fail_unknown(const char *name) {
    const char *names[COMMAND_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COMMAND_COUNT; ++i)
        if (!command_table[i]->is_hidden) names[count++] = command_table[i]->name;
    const char *nearest = str_nearest(name, names, count);
    struct err err;
    if (nearest)
        err_set(&err, ERR_USAGE, "unknown command '%s', did you mean '%s'?", name, nearest);
    else
        err_set(&err, ERR_USAGE, "unknown command '%s'; 'assay --help' lists them", name);
    return cmd_fail(NULL, &err);
}

static int print_help_as(const char *name) {
    enum help_form form;
    struct err err = {0};
    if (help_form_read(name, &form, &err) < 0) return cmd_fail(NULL, &err);
    return help_is_completion(form) ? print_completion(form) : print_help(form);
}

// Output that could not be written is a failure, whatever the command's exit code.
static int close_output(int code) {
    if (!ferror(stdout) && fflush(stdout) == 0 && fclose(stdout) == 0) return code;
    if (cmd_is_reader_gone(stdout)) return code;
    fprintf(stderr, "assay: error: cannot write to standard output: is the disk full?\n");
    return EXIT_WRITE;
}

static int print_version(bool is_json) {
    printf(is_json ? "{\"version\": \"%s\"}\n" : "assay %s\n", ASSAY_VERSION);
    return close_output(0);
}

static bool is_version(const char *word) {
    return str_equal(word, "--version") || str_equal(word, "-V") || str_equal(word, "version");
}

// -h of a command is its --help.
static void spell_out_help(int argc, char **argv) {
    static char help[] = "--help";
    for (int i = 2; i < argc && !str_equal(argv[i], "--"); ++i)
        if (str_equal(argv[i], "-h")) argv[i] = help;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); // a write above the file size limit fails, and is reported, instead of a signal
    term_page_set(term_columns(STDOUT_FILENO));
    if (argc < 2 || str_equal(argv[1], "--help") || str_equal(argv[1], "-h") || str_equal(argv[1], "help")) {
        int code = print_help(HELP_TEXT);
        return close_output(argc < 2 ? EXIT_USAGE : code);
    }
    if (is_version(argv[1])) return print_version(argc > 2 && str_equal(argv[2], "--json"));
    if (str_equal(argv[1], "--help-as")) return close_output(print_help_as(argv[2]));
    spell_out_help(argc, argv);
    const struct command *command = NULL;
    for (size_t i = 0; i < COMMAND_COUNT; ++i)
        if (str_equal(command_table[i]->name, argv[1])) command = command_table[i];
    if (!command) return fail_unknown(argv[1]);
    if (!command->is_hidden) { // a worker: whoever started it has done this
        struct err err;
        own_process_hide();
        if (own_process_need_stack(&err) < 0) return cmd_fail(NULL, &err);
        interrupt_catch();
    }
    const int code = command->run(command, argc - 1, argv + 1);
    executor_end_interpreters();
    return close_output(code);
}
