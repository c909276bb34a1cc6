// SPDX-License-Identifier: Apache-2.0
//
// `assay profile --import FILE`: what a report of Nsight Compute says, where the bottleneck is, and what to
// try. Codes: 0, 64 to 66 for what is wrong with the command or the file.
#include <stdlib.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "control/cmd/command.h"
#include "control/profile/profile_text.h"

#define REPORT_BYTES_MAX ((size_t)16 << 20)

static int print_launches(const struct nsight_report *report, const struct cmd_options *options,
                          struct arena *arena) {
    struct strbuf out = {0};
    struct json_writer w = json_writer_make(&out, 2);
    if (options->is_json) {
        json_object_begin(&w, NULL);
        json_array_begin(&w, "launches");
    }
    for (size_t i = 0; i < report->launch_count; ++i) {
        const struct profile profile = profile_from_nsight(&report->launches[i]);
        const struct diagnosis diagnosis = profile_diagnose(&profile, arena);
        if (options->is_json) {
            profile_write(&w, &profile, &diagnosis);
            continue;
        }
        if (i > 0) strbuf_add(&out, "\n");
        profile_print(&profile, &diagnosis, cmd_wants_color(options), &out);
    }
    if (options->is_json) {
        json_array_end(&w);
        json_object_end(&w);
        strbuf_add_char(&out, '\n');
    }
    return cmd_print_free(&out);
}

static int import(const char *path, struct arena *arena, struct nsight_report *ret, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    if (!path)
        return err_set(err, ERR_USAGE,
                       "which report? 'assay profile --import FILE.csv', made by ncu --import REPORT.ncu-rep "
                       "--csv --page raw --print-units base >FILE.csv");
    TRY(file_read(path, REPORT_BYTES_MAX, &text, &length, err));
    const int code = nsight_csv_parse(text, path, arena, ret, err);
    free(text);
    return code;
}

static int run_profile(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct nsight_report report;
    struct arena arena = {0};
    struct err err = {0};
    const char *path = NULL;
    const struct option own[] = {
        {"import", "FILE", "a page of Nsight Compute as CSV: raw, or details", OPTION_TEXT, &path},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code == 0) code = import(path, &arena, &report, &err);
    const int exit_code = code < 0 ? cmd_fail(&options, &err) : print_launches(&report, &options, &arena);
    arena_fini(&arena);
    return exit_code;
}

const struct command command_profile = {
    .name = "profile",
    .summary = "what a profiler's report says, and what to try",
    .usage = "assay profile --import FILE.csv",
    .details =
        "Reads a report of Nsight Compute, exported as CSV, and names the bottleneck of every launch in it\n"
        "with the numbers that decide and their thresholds, then hypotheses: what would help, the number\n"
        "that speaks for it, how to find out, and at most how much faster. The profiler's duration is no\n"
        "performance; assay bench measures that. Pages of several Nsight versions are read.\n"
        "\n"
        "example\n"
        "  ncu --clock-control none --set full -o r --kernel-name regex:fa_sm90 \\\n"
        "      assay bench --isolation none --kernel fa_sm90 --only s512 --iters 3\n"
        "  ncu --import r.ncu-rep --csv --page raw --print-units base >s512.csv\n"
        "  assay profile --import s512.csv",
    .run = run_profile,
};
