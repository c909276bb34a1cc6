// SPDX-License-Identifier: Apache-2.0
//
// See policy.h: copies, writes and reads.
#include "record/policy.h"

#include "base/str.h"

enum { POLICY_CHANGES_MAX = 64, POLICY_NAMES_MAX = 1 << 16 };

static const struct {
    const char *from, *reason; // as documents have them; reason NULL: absent
} source_names[POLICY_SOURCE_COUNT] = {
    [POLICY_BASELINE] = {"baseline", NULL},
    [POLICY_REQUESTED] = {"candidate", "requested"},
    [POLICY_FIRST] = {"candidate", "no_manifest"},
};

// "from" and "reason" are one enum: from's functions serve both members.
static void source_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct policy *policy = object;
    (void)context;
    json_write_string(w, member->key, source_names[policy->source].from);
    json_maybe_string(w, "reason", source_names[policy->source].reason);
}

static int source_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct policy *policy = object;
    const char *from = NULL, *reason = NULL;
    (void)arena, (void)context;
    TRY(json_get_string(at, member->key, &from, err));
    TRY(json_find_string(at, "reason", &reason, err));
    for (int i = POLICY_NONE + 1; i < POLICY_SOURCE_COUNT; ++i) {
        if (!str_equal(source_names[i].from, from) || !str_equal(source_names[i].reason, reason)) continue;
        policy->source = (enum policy_source)i;
        return 0;
    }
    return err_set(err, ERR_DATA,
                   "%s: a policy is from 'baseline', or from 'candidate' with the reason "
                   "'requested' or 'no_manifest'",
                   at->where);
}

static const struct member change_list[] = {
    MEMBER(struct policy_change, "setting", setting, "Its name: `gate.regression_pct`.", MEMBER_REQUIRED),
    MEMBER(struct policy_change, "baseline", baseline, "What the baseline's manifest sets."),
    MEMBER(struct policy_change, "candidate", candidate, "What the candidate's sets."),
    MEMBER(struct policy_change, "used", used, "The value that decided."),
    MEMBER_STRINGS(struct policy_change, "only_baseline", only_baseline.items, only_baseline.count,
                   POLICY_NAMES_MAX, "Problems of a suite that only the baseline has."),
    MEMBER_STRINGS(struct policy_change, "only_candidate", only_candidate.items, only_candidate.count,
                   POLICY_NAMES_MAX, "Problems of a suite that only the candidate has."),
};
static const struct member_table change_members = MEMBER_TABLE(
    struct policy_change, "policy_change", change_list,
    .sentence = "A setting in which the manifests differ. What a manifest does not set is absent.");

static const struct member members[] = {
    MEMBER_WITH("from", source_write, source_read, "Whose manifest decided.", MEMBER_REQUIRED,
                .schema = "{\"enum\": [\"baseline\", \"candidate\"]}"),
    MEMBER_WITH("reason", NULL, NULL, "Why the candidate's: `--policy candidate`, or the revision has none.",
                .schema = "{\"enum\": [\"requested\", \"no_manifest\"]}"),
    MEMBER(struct policy, "revision", revision, "The baseline as named: `git:HEAD`."),
    MEMBER_LIST(struct policy, "changes", changes, change_count, &change_members, POLICY_CHANGES_MAX,
                "Empty when both ask the same.", MEMBER_WRITTEN),
};
const struct member_table policy_members =
    MEMBER_TABLE(struct policy, "policy", members,
                 .sentence = "Of a gate against a revision: whose manifest decided, and what differs.");

const struct policy *policy_copy(struct arena *arena, const struct policy *policy) {
    if (!policy) return NULL;
    struct policy *copy = arena_alloc(arena, sizeof *copy);
    *copy = *policy;
    members_own(&policy_members, arena, copy);
    return copy;
}
