// SPDX-License-Identifier: Apache-2.0
//
// See gate_family.h.
#include "verdict/gate_family.h"

#include <math.h>
#include <string.h>

#include "base/comma.h"
#include "base/strbuf.h"
#include "verdict/decision_make.h"

static int badness(int exit_code) {
    return exit_code == 1 ? 2 : exit_code != 0;
}

static void add_cases(const struct family_member *member, struct arena *arena, struct decision *ret) {
    const struct decision *from = member->decision;
    if (str_equal(from->rule, "same_code")) { // a row a problem would say the same of each
        decision_note(ret, arena, "%s: same machine code on both sides: %zu problems not measured",
                      member->kernel, from->case_count);
        return;
    }
    for (size_t i = 0; i < from->case_count; ++i) {
        struct decision_case *item = &ret->cases[ret->case_count++];
        *item = from->cases[i];
        item->name = arena_format(arena, "%s: %s", member->kernel, from->cases[i].name);
        item->short_name = arena_format(arena, "%s: %s", member->kernel, decision_case_name(&from->cases[i]));
    }
    for (size_t i = 0; i < from->ratchet_count; ++i) {
        struct decision_ratchet *ratchet = &ret->ratchets[ret->ratchet_count++];
        *ratchet = from->ratchets[i];
        ratchet->figure = arena_format(arena, "%s: %s", member->kernel, from->ratchets[i].figure);
    }
    for (size_t i = 0; i < from->note_count; ++i)
        decision_note(ret, arena, "%s: %s", member->kernel, from->notes[i]);
    if (from->round_count > ret->round_count) ret->round_count = from->round_count;
}

// "2 of 3 kernels: simd, tiled"
static const char *list_bad(const struct family_member *members, size_t count, int exit_code,
                            struct arena *arena) {
    struct strbuf names = {0};
    size_t bad = 0;
    for (size_t i = 0; i < count; ++i)
        if (members[i].exit_code == exit_code && ++bad) comma_add(&names, members[i].kernel);
    const char *ret = arena_format(arena, "%zu of %zu kernels: %s", bad, count, strbuf_text(&names));
    strbuf_fini(&names);
    return ret;
}

static const struct family_member *find_worst(const struct family_member *members, size_t count) {
    const struct family_member *worst = NULL;
    for (size_t i = 0; i < count; ++i)
        if (!worst || badness(members[i].exit_code) > badness(worst->exit_code)) worst = &members[i];
    return worst;
}

// Room for the problems and the figures of all.
static void make_room(const struct family_member *members, size_t count, struct arena *arena,
                      struct decision *ret) {
    size_t cases = 0, ratchets = 0;
    for (size_t i = 0; i < count; ++i) {
        if (!members[i].decision) continue;
        cases += members[i].decision->case_count;
        ratchets += members[i].decision->ratchet_count;
    }
    ret->cases = arena_array(arena, cases + 1, sizeof *ret->cases);
    ret->ratchets = arena_array(arena, ratchets + 1, sizeof *ret->ratchets);
}

// The verdict of the whole is that of the worst kernel; one that could not be built has none of its own.
static enum verdict verdict_of(const struct family_member *worst) {
    if (worst->decision) return worst->decision->verdict;
    if (worst->is_removed && worst->exit_code) return VERDICT_REMOVED;
    return worst->exit_code ? VERDICT_NOT_VALID : VERDICT_SAME_CODE;
}

// The headline; a compiler's words end with their first line.
static const char *sentence_of(const struct family_member *worst, const struct family_member *members,
                               size_t count, struct arena *arena) {
    size_t compared = 0;
    for (size_t i = 0; i < count; ++i) compared += !members[i].is_removed;
    if (!worst->exit_code)
        return arena_format(arena, "nothing got worse in %zu kernel%s", compared, compared == 1 ? "" : "s");
    const char *own = worst->decision ? worst->decision->sentence : worst->sentence;
    const char *why = worst->is_removed ? "a kernel was removed" : str_or(own, "not decided");
    size_t length = strcspn(why, "\n");
    if (length && why[length] && why[length - 1] == ':') --length; // "gcc failed on 'mine.c':"
    return arena_format(arena, "%.*s; %s", (int)length, why,
                        list_bad(members, count, worst->exit_code, arena));
}

int gate_family_decide(const struct family_member *members, size_t count, struct arena *arena,
                       struct decision *ret, struct err *err) {
    const struct family_member *worst = find_worst(members, count);
    *ret = decision_empty("rounds", NULL);
    make_room(members, count, arena, ret);
    for (size_t i = 0; i < count; ++i) {
        const struct decision *one = members[i].decision;
        if (one && one->regression_pct > 0) {
            ret->regression_pct = one->regression_pct;
            ret->improvement_pct = one->improvement_pct;
        }
        decision_note_lines(ret, members[i].kernel, str_or(members[i].sentence, ""), arena);
        if (one) add_cases(&members[i], arena, ret);
    }
    decision_summarize(ret, arena);
    TRY(decision_adjust(ret, err));
    if (!worst) return err_set(err, ERR_USAGE, "there is no kernel to gate");
    ret->exit_code = worst->exit_code;
    ret->verdict = verdict_of(worst);
    ret->sentence = sentence_of(worst, members, count, arena);
    return 0;
}
