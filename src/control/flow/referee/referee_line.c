// SPDX-License-Identifier: Apache-2.0
//
// See referee_line.h.
#include "control/flow/referee/referee_line.h"

#include <string.h>

#include "base/json_writer.h"
#include "record/member.h"

#define LETTERS        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define FILE_MOST      64
#define TEXT_MOST      4096 // of a path or a name
#define FUNCTION_WORDS LETTERS "."

#define LINE(m, ...) MEMBER(struct referee_line, #m, m, __VA_ARGS__)
static const struct member line_list[] = {
    LINE(candidate, "A path, or `FILE.py:FUNCTION`."),
    LINE(source, "The text of a source in place of a path."),
    LINE(file, "Its name: `mine.c`, `mine.cu`, `mine.py`."),
    LINE(function, "Of a source in Python; absent: of the operator's name."),
    LINE(name, "In lists."),
};
static const struct member_table line_members =
    MEMBER_TABLE(struct referee_line, "referee_line", line_list, );

static bool is_of(const char *text, const char *signs, size_t most) {
    const size_t length = strlen(text);
    return length && length <= most && strspn(text, signs) == length;
}

static int check(const struct referee_line *line, struct err *err) {
    const char *const texts[] = {line->candidate, line->name};
    if (!line->candidate == !line->source)
        return err_set(err, ERR_DATA, "a request has either 'candidate', a path, or 'source', a text");
    if (!line->source != !line->file)
        return err_set(err, ERR_DATA, "'source' and 'file', its name, go together");
    if (line->file && (!is_of(line->file, LETTERS ".-", FILE_MOST) || line->file[0] == '.' ||
                       line->file[0] == '-' || !strchr(line->file, '.')))
        return err_set(err, ERR_DATA,
                       "'file' is a name such as mine.c: letters, digits, '_', '-', '.', at most "
                       "%d",
                       FILE_MOST);
    if (line->function && (!line->source || !is_of(line->function, FUNCTION_WORDS, FILE_MOST)))
        return err_set(err, ERR_DATA, "'function' names a function of a source in Python");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        if (texts[i] && (!*texts[i] || strlen(texts[i]) > TEXT_MOST || strpbrk(texts[i], "\n\r")))
            return err_set(err, ERR_DATA, "'%s' is empty, has a line break, or more than %d bytes",
                           i ? "name" : "candidate", TEXT_MOST);
    return 0;
}

int referee_line_parse(const char *text, size_t length, struct arena *arena, struct referee_line *ret,
                       struct err *err) {
    json_t *root = NULL;
    *ret = (struct referee_line){0};
    if (memchr(text, 0, length)) return err_set(err, ERR_DATA, "a request holds no zero bytes");
    TRY(json_read_text(text, length, "the request", &root, err));
    const struct json_at at = {.value = root, .where = "the request"};
    int code = members_read(&at, &line_members, arena, ret, NULL, err);
    if (code == 0) code = check(ret, err);
    json_decref(root);
    return code;
}

void referee_line_write(const struct referee_line *line, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    members_write_object(&w, NULL, &line_members, line, NULL);
    strbuf_add_char(out, '\n');
}
