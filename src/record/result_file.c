// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads result documents: what is said of the whole, not of a member (result_members.c). Raw
// samples are written as measured, discarded ones too. A file may come from anywhere: every size is bounded
// and every time is checked, and statistics are computed from the samples, never read.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "record/case_index.h"
#include "record/field.h"
#include "record/result.h"

// ---- writing ----

void result_write(const struct result *result, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 1);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", RESULT_KIND);
    json_write_u64(&w, "schema_version", RESULT_SCHEMA_VERSION);
    members_write(&w, &result_members, result, result);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

void result_write_case(const struct result *result, size_t case_index, struct strbuf *out) {
    if (case_index >= result->case_count) BUG("case %zu of %zu", case_index, result->case_count);
    struct result part = *result; // borrows all of result's memory; not freed
    part.check_count = 0;
    part.cases = &result->cases[case_index];
    part.case_count = 1;
    part.decision = NULL;
    result_write(&part, out);
}

int result_write_file(const struct result *result, const char *path, struct err *err) {
    struct strbuf text = {0};
    result_write(result, &text);
    int written = file_write_atomic(path, text.text, text.length, err);
    strbuf_fini(&text);
    return written;
}

int result_write_in(const struct result *result, const char *dir, struct err *err) {
    TRY(file_make_dirs(dir, err));
    char *path = path_join(dir, "result.json");
    const int code = result_write_file(result, path, err);
    free(path);
    return code;
}

// ---- reading ----

// Rejects duplicate cases: both would be compared with the same partner, one of them unnoticed.
static int refuse_duplicates(const struct json_at *at, const struct result *result, struct err *err) {
    struct case_index index = case_index_make(result->cases, result->case_count);
    const struct result_case *twice = case_index_duplicate(&index);
    case_index_fini(&index);
    if (!twice) return 0;
    return err_set(err, ERR_DATA,
                   "%s: cases: the problem '%s' is given twice with the same distribution and memory layout",
                   at->where, twice->problem.name);
}

// A problem of an operator that this program does not have is left with its name and the work that the
// document states: it can be read and compared.
static void bind_problems(struct result_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (problem_bind(&operators_compiled, &cases[i].problem, NULL) == 0)
            cases[i].work = case_work_of(&cases[i].problem);
}

static int document_parse(const struct json_at *at, struct result *result, struct err *err) {
    const char *kind = NULL;
    if (!json_is_object(at->value) || !json_object_get(at->value, "kind")) {
        return err_set(err, ERR_DATA, "%s: this is not a result of assay: it is no JSON object with a 'kind'",
                       at->where);
    }
    TRY(json_get_string(at, "kind", &kind, err));
    if (strcmp(kind, RESULT_KIND) != 0) {
        return err_set(err, ERR_DATA, "%s: this is not a result of assay: its 'kind' is '%s', not '%s'",
                       at->where, str_shown(kind).text, RESULT_KIND);
    }
    TRY(field_check_version(at, "schema_version", RESULT_SCHEMA_VERSION, err));
    TRY(members_read(at, &result_members, &result->arena, result, result, err));
    if (result->side_count == 0) return err_set(err, ERR_DATA, "%s: key 'sides' is empty", at->where);
    bind_problems(result->checks, result->check_count);
    bind_problems(result->cases, result->case_count);
    return refuse_duplicates(at, result, err);
}

int result_parse(const json_t *root, const char *where, struct result *ret, struct err *err) {
    struct result result;
    result_init(&result);
    const struct json_at at = {.value = root, .where = where};
    int parsed = document_parse(&at, &result, err);
    if (parsed < 0) {
        result_fini(&result);
        return parsed;
    }
    *ret = result;
    return 0;
}

int result_read_text(const char *text, size_t length, const char *where, struct result *ret,
                     struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(text, length, where, &root, err));
    int parsed = result_parse(root, where, ret, err);
    json_decref(root);
    return parsed;
}

int result_read_file(const char *path, struct result *ret, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    TRY(file_read(path, JSON_DOCUMENT_BYTES_MAX, &text, &length, err));
    const int code = result_read_text(text, length, path, ret, err);
    free(text);
    return code;
}
