// SPDX-License-Identifier: Apache-2.0
//
// `assay doctor`: what this machine has and lacks as a runner. Codes: 0; 69 something that every gate needs
// is lacking.
#include "base/json_writer.h"
#include "control/cmd/command.h"
#include "control/flow/doctor/doctor.h"

static void print_text(const struct doctor *doctor, bool color, struct strbuf *out) {
    static const enum term_style styles[DOCTOR_LEVEL_COUNT] = {TERM_GREEN, TERM_YELLOW, TERM_RED};
    struct term_table *table = term_table_new(3, "lll");
    for (size_t i = 0; i < doctor->count; ++i) {
        const struct doctor_finding *finding = &doctor->findings[i];
        term_table_add(table,
                       (const char *[]){doctor_level_name(finding->level), finding->topic, finding->text});
        term_table_style(table, 0, styles[finding->level]);
        if (!finding->remedy) continue;
        term_table_add(table, (const char *[]){"", "", finding->remedy});
        term_table_style(table, 2, TERM_DIM);
    }
    term_table_print(table, color, out);
    term_table_free(table);
}

static void print_json(const struct doctor *doctor, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    json_object_begin(&w, NULL);
    json_write_string(&w, "worst", doctor_level_name(doctor_worst(doctor)));
    json_array_begin(&w, "findings");
    for (size_t i = 0; i < doctor->count; ++i) {
        const struct doctor_finding *finding = &doctor->findings[i];
        json_object_begin(&w, NULL);
        json_write_string(&w, "level", doctor_level_name(finding->level));
        json_write_string(&w, "topic", finding->topic);
        json_write_string(&w, "text", finding->text);
        json_maybe_string(&w, "remedy", finding->remedy);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

// To be read by who runs it: nothing runs by itself.
static void print_script(const struct doctor *doctor, struct strbuf *out) {
    strbuf_add(out,
               "#!/bin/sh\n# Of `assay doctor --script`: read it, then run it as a user who may use sudo.\n"
               "# It registers no runner. What fails keeps nothing else from being mended.\nset -x\n");
    for (size_t i = 0; i < doctor->count; ++i) {
        const struct doctor_finding *finding = &doctor->findings[i];
        if (!finding->remedy) continue;
        strbuf_add_linef(out, "# %s: %s", finding->topic, finding->text);
        strbuf_add_linef(out, "%s", finding->remedy);
    }
}

static int run_doctor(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    struct option_line line = {.argc = argc, .argv = argv};
    struct arena arena = {0};
    struct doctor doctor = {.arena = &arena, .root = ""};
    struct strbuf out = {0};
    struct err err = {0};
    bool is_script = false;
    const struct option own[] = {
        {"script", NULL, "what mends as a shell script, to be read and run by you", OPTION_FLAG, &is_script},
        {0},
    };
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    if (code < 0) return cmd_fail(&options, &err);
    doctor_examine(&doctor);
    if (is_script)
        print_script(&doctor, &out);
    else if (options.is_json)
        print_json(&doctor, &out);
    else
        print_text(&doctor, cmd_wants_color(&options), &out);
    code = doctor_worst(&doctor) == DOCTOR_LACKING ? err_exit_code(ERR_UNAVAILABLE) : 0;
    arena_fini(&arena);
    return cmd_end(&options, code, &out, &err);
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "what this machine has and lacks as a runner of gates",
    .usage = "assay doctor [--json|--script]",
    .details = "Looks at devices, priority, load, clocks, counters, sandbox, disk and programs, and says for "
               "each what "
               "mends it.\nIt changes nothing and registers nothing.\n"
               "Codes: 0 gates run here, 69 something that every gate needs is lacking.\n"
               "\n"
               "example\n"
               "  assay doctor\n"
               "  assay doctor --script >mend.sh",
    .run = run_doctor,
};
