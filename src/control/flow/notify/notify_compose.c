// SPDX-License-Identifier: Apache-2.0
//
// See notify_compose.h.
#include "control/flow/notify/notify_compose.h"

#include "base/hash.h"
#include "code_host/code_host.h"
#include "control/flow/notify/notify_send.h"
#include "report/result/figure_text.h"

#define PROBLEMS_SAID 20
#define TEXT_BYTES    16384

static void write_text(const struct notify_case *cases, const char *sentence, struct arena *arena,
                       struct notification *ret) {
    struct strbuf text = {0};
    strbuf_add_linef(&text, "%s, %s", ret->subject, str_or(ret->device, "a device"));
    for (size_t i = 0; i < ret->problem_count && i < PROBLEMS_SAID; ++i)
        strbuf_add_linef(&text, "- %s: %s", cases[i].shown, figure_change(cases[i].item, arena));
    if (ret->problem_count > PROBLEMS_SAID)
        strbuf_addf(&text, "- and %zu more\n", ret->problem_count - PROBLEMS_SAID);
    strbuf_add_linef(&text, "%s", str_or(sentence, ""));
    if (ret->url) strbuf_add_linef(&text, "%s", ret->url);
    strbuf_add_linef(&text, "assay report %s", str_or(ret->run_id, "RUN"));
    ret->text = arena_strndup(arena, text.text, str_fitting(text.text, TEXT_BYTES));
    strbuf_fini(&text);
}

static const char *message_id(const struct notification *message, struct arena *arena) {
    char hex[HASH_HEX_BYTES];
    struct hash_state *hash = hash_new();
    hash_add_text(hash, message->branch);
    hash_add_text(hash, str_or(message->run_id, ""));
    for (size_t i = 0; i < message->problem_count; ++i) hash_add_text(hash, message->problems[i].name);
    hash_take_hex(hash, hex);
    return arena_strdup(arena, hex);
}

struct notification notify_compose(struct session *session, const struct result *result, const char *branch,
                                   const struct notify_case *cases, size_t count) {
    struct arena *arena = &session->arena;
    struct notification ret = {.branch = branch,
                               .run_id = result->run_id,
                               .device = result->environment.device_name,
                               .url = code_host_run_url(arena),
                               .problem_count = count,
                               .problems = arena_array(arena, count, sizeof *ret.problems)};
    for (size_t i = 0; i < count; ++i)
        ret.problems[i] =
            (struct notified_problem){.name = cases[i].name, .change_pct = cases[i].item->change_pct};
    for (enum notify_way way = 0; way < NOTIFY_WAY_COUNT; ++way)
        ret.is_due[way] = notify_has_way(&session->manifest, way);
    ret.subject = arena_format(arena, "assay: %zu regression%s on %s", count, count == 1 ? "" : "s", branch);
    ret.id = message_id(&ret, arena);
    write_text(cases, result->decision->sentence, arena, &ret);
    return ret;
}
