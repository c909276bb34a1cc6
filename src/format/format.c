// SPDX-License-Identifier: Apache-2.0
//
// Opens documents: detects the format by content; errors list the formats that there are.
#include "format/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "format/bare_number.h"

const struct format *format_find(const char *name) {
    for (size_t i = 0; format_table[i]; ++i)
        if (str_equal(format_table[i]->name, name)) return format_table[i];
    return NULL;
}

char *format_list(void) {
    struct strbuf text = {0};
    for (size_t i = 0; format_table[i]; ++i) comma_add(&text, format_table[i]->name);
    return strbuf_take(&text);
}

static int refuse_name(const char *name, struct err *err) {
    char *list = format_list();
    int code =
        err_set(err, ERR_USAGE, "'%.64s' is no format that assay reads; --format takes %s", name, list);
    free(list);
    return code;
}

const struct format *format_detect(const json_t *root) {
    for (size_t i = 0; format_table[i]; ++i)
        if (format_table[i]->is_mine(root)) return format_table[i];
    return NULL;
}

static int read_replaced(const char *text, size_t length, bool is_text, struct format_document *document,
                         struct err *err) {
    struct strbuf cleaned = {0};
    int code = -ERR_DATA;
    if (bare_number_replace(text, length, is_text, &cleaned) > 0)
        code = json_read_text(cleaned.text, cleaned.length, document->where, &document->root, err);
    strbuf_fini(&cleaned);
    return code;
}

// A document that does not parse is tried again with its bare NaN and Infinity replaced. Only a format whose
// writer prints such numbers is accepted then; for any other the first message stands. If the document is
// broken elsewhere too, the second message says where.
static int parse_bare(const char *text, size_t length, const struct format *wanted,
                      struct format_document *document, struct err *err) {
    struct err again = {0};
    int code = read_replaced(text, length, false, document, &again);
    const struct format *format = wanted || code < 0 ? wanted : format_detect(document->root);
    if (code == 0 && !(format && format->bare_numbers == BARE_AS_NULL)) {
        json_decref(document->root);
        document->root = NULL;
        code = format && format->bare_numbers == BARE_AS_TEXT
                   ? read_replaced(text, length, true, document, &again)
                   : -ERR_DATA;
    }
    if (err && (code == 0 || again.code)) *err = again;
    return code;
}

// A text that cannot be JSON: it begins with neither a bracket nor a brace.
static bool is_plain_text(const char *text, size_t length) {
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at]) && text[at]) ++at;
    return at < length && text[at] != '{' && text[at] != '[';
}

// The text of a tool that writes no JSON. Nothing is read where no format knows it.
static int parse_text(const char *text, size_t length, struct format_document *document, struct err *err) {
    struct strbuf json = {0};
    int code = 0;
    for (size_t i = 0; format_table[i] && !document->root && code == 0; ++i)
        if (format_table[i]->from_text && format_table[i]->from_text(text, length, &json))
            code = json_read_text(json.text, json.length, document->where, &document->root, err);
    strbuf_fini(&json);
    return code;
}

static int refuse_document(const char *where, const char *looks_like, struct err *err) {
    struct strbuf list = {0};
    for (size_t i = 0; format_table[i]; ++i)
        strbuf_addf(&list, "  %s: %s\n", format_table[i]->name, format_table[i]->summary);
    const int code =
        looks_like ? err_set(err, ERR_DATA, "%s: this looks like %s; assay reads", where, looks_like)
                   : err_set(err, ERR_DATA, "%s: this is no document that assay reads; it reads", where);
    err_add_lines(err, strbuf_text(&list));
    strbuf_fini(&list);
    return code;
}

int format_open_text(const char *text, size_t length, const char *where, const char *wanted,
                     struct format_document *ret, struct err *err) {
    const struct format *format = wanted ? format_find(wanted) : NULL;
    *ret = (struct format_document){0};
    if (wanted && !format) return refuse_name(wanted, err);
    ret->where = mem_strdup(where);
    hash_bytes_hex(text, length, ret->text_hash);
    const bool is_plain = is_plain_text(text, length);
    int code = is_plain ? parse_text(text, length, ret, err) : 0;
    const char *looks_like = is_plain && !ret->root ? format_lookalike_text(text, length) : NULL;
    if (code == 0 && looks_like) code = refuse_document(where, looks_like, err);
    if (code == 0 && !ret->root) {
        code = json_read_text(text, length, where, &ret->root, err);
        if (code == -ERR_DATA) code = parse_bare(text, length, format, ret, err);
    }
    if (code == 0) ret->format = format ? format : format_detect(ret->root);
    if (code == 0 && !ret->format) code = refuse_document(where, format_lookalike(ret->root), err);
    if (code < 0) format_close(ret);
    return code;
}

// The format whose files lie in a folder; one of the table has that.
static const struct format *folder_format(void) {
    for (size_t i = 0; format_table[i]; ++i)
        if (format_table[i]->from_folder) return format_table[i];
    BUG("no format reads a folder");
}

static int open_folder(const char *path, const char *wanted, struct format_document *ret, struct err *err) {
    struct strbuf json = {0};
    int code = folder_format()->from_folder(path, &json, err);
    if (code == 0) code = format_open_text(json.text, json.length, path, wanted, ret, err);
    strbuf_fini(&json);
    return code;
}

int format_open(const char *path, const char *wanted, struct format_document *ret, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    *ret = (struct format_document){0};
    if (wanted && !format_find(wanted)) return refuse_name(wanted, err);
    if (file_is_dir(path)) return open_folder(path, wanted, ret, err);
    TRY(file_read(path, JSON_DOCUMENT_BYTES_MAX, &text, &length, err));
    int code = format_open_text(text, length, path, wanted, ret, err);
    free(text);
    if (code == 0) ret->folder = path_dir(path);
    return code;
}

void format_release(struct format_document *document) {
    json_decref(document->root);
    document->root = NULL;
}

void format_close(struct format_document *document) {
    format_release(document);
    free(document->where);
    free(document->folder);
    *document = (struct format_document){0};
}

int format_read(const struct format_document *document, struct result *ret, struct err *err) {
    const struct format_source source = {document->root, document->where, document->folder};
    if (!document->format->read)
        return err_set(err, ERR_DATA, "%s is %s: it has no samples", document->where,
                       document->format->title);
    return document->format->read(&source, ret, err);
}

int format_match(const struct format_document *base, const struct format_document *cand, struct err *err) {
    if (base->format == cand->format) return 0;
    return err_set(err, ERR_DATA, "%s is %s and %s is %s; both must be of one form", base->where,
                   base->format->title, cand->where, cand->format->title);
}
