// SPDX-License-Identifier: Apache-2.0
//
// See referee_child.h.
#include "control/flow/referee/referee_child.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/process/proc.h"
#include "control/exec/scratch_folder.h"
#include "control/flow/referee/referee_line.h"
#include "record/referee_record.h"

#define DOCUMENT_BYTES ((size_t)64 << 20)
#define ERROR_BEGINS   "assay: error: "

void referee_child_error(const char *sentence, int exit_code, struct strbuf *ret) {
    struct json_writer w = json_writer_make(ret, 0);
    json_object_begin(&w, NULL);
    json_write_string(&w, "error", sentence);
    json_write_i64(&w, "exit_code", exit_code);
    json_object_end(&w);
    strbuf_add_char(ret, '\n');
}

struct child {
    const struct referee_server *server;
    struct referee_line line;
    struct arena arena;
    const char *scratch, *document, *candidate;
    struct proc *proc;
    struct proc_status status;
    char *tail; // of what it printed
    referee_goes_on_fn goes_on;
    void *arg;
    bool is_dropped;
};

// The candidate's file, where the request has its text.
static int place_candidate(struct child *child, struct err *err) {
    const struct referee_line *line = &child->line;
    child->candidate = line->candidate;
    if (!line->source) return 0;
    const char *dir = arena_format(&child->arena, "%s/source", child->scratch);
    const char *path = arena_format(&child->arena, "%s/%s", dir, line->file);
    TRY(file_make_dirs(dir, err));
    TRY(file_write_atomic(path, line->source, strlen(line->source), err));
    child->candidate = line->function ? arena_format(&child->arena, "%s:%s", path, line->function) : path;
    return 0;
}

static const char *const *make_words(struct child *child) {
    const struct referee_server *server = child->server;
    const char **words = arena_array(&child->arena, server->option_count + 16, sizeof *words);
    size_t count = 0;
    words[count++] = server->program;
    words[count++] = "referee";
    for (size_t i = 0; i < server->option_count; ++i) words[count++] = server->options[i];
    words[count++] = "--quiet";
    words[count++] = "--leave-nothing";
    words[count++] = arena_format(&child->arena, "--output=%s", child->document);
    if (child->line.name) words[count++] = arena_format(&child->arena, "--name=%s", child->line.name);
    words[count++] = "--";
    if (server->operator_or_file) words[count++] = server->operator_or_file;
    words[count++] = child->candidate;
    return words;
}

static void on_wait(void *arg) {
    struct child *child = arg;
    if (child->is_dropped || child->goes_on(child->arg)) return;
    child->is_dropped = true;
    proc_kill(child->proc);
}

static int run(struct child *child, struct err *err) {
    const char *tmp = arena_format(&child->arena, "%s/tmp", child->scratch);
    const char *const env[] = {arena_format(&child->arena, "TMPDIR=%s", tmp), NULL};
    const struct proc_spec spec = {.argv = make_words(child), .env_add = env, .starts_others = true};
    char *line;
    TRY(file_make_dirs(tmp, err));
    TRY(proc_open(&spec, &child->proc, err));
    proc_on_wait(child->proc, on_wait, child);
    const uint64_t deadline_ns = clock_ns() + child->server->limit_ns;
    int code;
    while ((code = proc_next_line(child->proc, deadline_ns, &line, err)) > 0) {
    }
    proc_close(child->proc, &child->status, &child->tail);
    return code;
}

// The document in one line, or why there is none.
static int read_answer(struct child *child, struct strbuf *ret, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    struct err ignored = {0};
    struct referee_record record;
    if (file_read_no_link(child->document, DOCUMENT_BYTES, &text, &length, &ignored) == 0) {
        struct strbuf copy = {0};
        strbuf_add_bytes(&copy, text, length);
        const int code = referee_record_read(&copy, "the answer", &record, err);
        if (code == 0) referee_record_write(&record, 0, ret);
        referee_record_fini(&record);
        strbuf_fini(&copy);
        free(text);
        return code;
    }
    const char *said = child->tail ? strstr(child->tail, ERROR_BEGINS) : NULL;
    struct strbuf how = {0}, sentence = {0};
    proc_status_format(&child->status, &how);
    if (said)
        strbuf_add_bytes(&sentence, said + strlen(ERROR_BEGINS), strcspn(said + strlen(ERROR_BEGINS), "\n"));
    else
        strbuf_addf(&sentence, "its assay %s", strbuf_text(&how));
    referee_child_error(
        strbuf_text(&sentence),
        child->status.end == PROC_EXITED && child->status.exit_code ? child->status.exit_code : 70, ret);
    strbuf_fini(&how);
    strbuf_fini(&sentence);
    return 0;
}

static void answer_late(struct child *child, struct strbuf *ret) {
    struct referee_record record;
    referee_record_init(&record);
    record.candidate = child->candidate;
    record.name = child->line.name;
    record.verdict = REFEREE_TIMED_OUT;
    record.sentence = "out of time: it was not done when all of its limits together were over";
    record.exit_code = 1;
    referee_record_write(&record, 0, ret);
    referee_record_fini(&record);
}

static int judge(struct child *child, struct strbuf *ret, struct err *err) {
    TRY(place_candidate(child, err));
    child->document = arena_format(&child->arena, "%s/answer.json", child->scratch);
    TRY(run(child, err));
    if (child->status.end == PROC_TIMEOUT)
        answer_late(child, ret);
    else if (!child->is_dropped)
        TRY(read_answer(child, ret, err));
    return 0;
}

void referee_child_judge(const struct referee_server *server, const char *request, size_t length,
                         referee_goes_on_fn goes_on, void *arg, struct strbuf *ret) {
    struct child child = {.server = server, .goes_on = goes_on, .arg = arg};
    struct scratch_folder scratch = {0};
    struct err err = {0};
    int code = referee_line_parse(request, length, &child.arena, &child.line, &err);
    if (code == 0) code = scratch_folder_open(&scratch, &err);
    child.scratch = scratch.path;
    if (code == 0) code = judge(&child, ret, &err);
    if (code < 0) {
        strbuf_clear(ret);
        referee_child_error(err.text, err_exit_code(err.code), ret);
    }
    scratch_folder_close(&scratch);
    free(child.tail);
    arena_fini(&child.arena);
}
