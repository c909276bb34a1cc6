// SPDX-License-Identifier: Apache-2.0
//
// Files of a profile.
#include "control/flow/profile/profile_files.h"

#include "base/file.h"

#define RUNS_FOLDER "runs"

int profile_keep(const struct collecting *c, const char *suffix, const struct strbuf *text, struct err *err) {
    struct arena *arena = &c->session->arena;
    const char *path = arena_format(arena, "%s/%s%s", c->request->folder, c->name, suffix);
    const char *copy = arena_format(arena, RUNS_FOLDER "/ncu_%s%s", c->name, suffix);
    TRY(file_write_atomic(path, strbuf_text(text), text->length, err));
    if (c->request->is_private) return 0;
    TRY(file_make_dirs(RUNS_FOLDER, err));
    return file_write_atomic(copy, strbuf_text(text), text->length, err);
}

const char *profile_file_name(const char *short_name, const char *problem, struct arena *arena) {
    char *name = arena_strdup(arena, str_or(short_name, problem));
    for (char *at = name; *at; ++at)
        if (*at == '/' || *at == ' ') *at = '_';
    return name;
}

const char *profile_problem_key(const struct suite_item *item, struct arena *arena) {
    char key[PROBLEM_KEY_BYTES];
    return arena_strdup(arena, problem_key(&item->problem, item->distribution, key));
}

struct collecting profile_collecting(struct session *session, const struct profile_request *request,
                                     const struct suite_item *item) {
    return (struct collecting){
        session, request, item,
        profile_file_name(item->short_name, profile_problem_key(item, &session->arena), &session->arena)};
}
