// SPDX-License-Identifier: Apache-2.0
//
// See policy_merge.h. Which value of a limit is the stricter one stands in its row (record/run_limits.c).
#include "control/plan/policy_merge.h"

#include <math.h>

#include "base/comma.h"
#include "base/strbuf.h"

enum { CHANGES_MAX = 25, NAMES_SHOWN_MAX = 6 };

struct number_rule {
    const char *setting;
    enum strictness strictness;
    double fallback;    // what a manifest without the setting means; 0: nothing
    const char *option; // of the command line, which decides over both manifests; NULL: there is none
    double given;       // by it; NAN: not given
};

struct merge {
    struct gate_policy baseline;
    const struct policy_question *question;
    struct arena *arena;
    struct policy *record;
    bool is_baseline; // the baseline's policy, and the stricter values, decide
};

static const char *number_text(double value, struct arena *arena) {
    return value > 0 ? arena_format(arena, "%.15g", value) : NULL;
}

static struct policy_change *add_change(struct merge *merge, const char *setting) {
    struct policy *record = merge->record;
    if (record->change_count == CHANGES_MAX) BUG("more settings than a policy has");
    struct policy_change *change = &record->changes[record->change_count++];
    change->setting = arena_strdup(merge->arena, setting);
    return change;
}

// What a manifest's value comes to: none is the default, where the setting has one.
static double effective(const struct number_rule *rule, double value) {
    return value > 0 || !(rule->fallback > 0) ? value : rule->fallback;
}

// value: the candidate's.
static void merge_number(struct merge *merge, const struct number_rule *rule, double ours, double *value) {
    const double theirs = *value;
    const double ours_now = effective(rule, ours), theirs_now = effective(rule, theirs);
    const bool is_baseline_less = ours_now > 0 && (theirs_now <= 0 || ours_now < theirs_now);
    const bool takes_baseline = rule->strictness == STRICT_BASELINE || ours_now == theirs_now ||
                                (rule->strictness == STRICT_SMALLER) == is_baseline_less;
    if (merge->is_baseline && takes_baseline) *value = ours;
    const bool is_given = rule->option && isfinite(rule->given);
    if (is_given) *value = rule->given;
    if (ours == theirs) return;
    struct policy_change *change = add_change(merge, rule->setting);
    change->baseline = number_text(ours, merge->arena);
    change->candidate = number_text(theirs, merge->arena);
    change->used = number_text(*value, merge->arena);
    if (*value <= 0 && effective(rule, *value) > 0)
        change->used = arena_format(merge->arena, "none (%.3g is the default)", effective(rule, *value));
    if (is_given) change->used = arena_format(merge->arena, "%s (%s)", change->used, rule->option);
}

static void merge_text(struct merge *merge, const char *setting, const char *baseline, const char *used_now,
                       const char **used) {
    const char *candidate = *used;
    if (merge->is_baseline) *used = used_now;
    if (str_equal(baseline, candidate)) return;
    struct policy_change *change = add_change(merge, setting);
    change->baseline = arena_strdup(merge->arena, baseline);
    change->candidate = arena_strdup(merge->arena, candidate);
    change->used = arena_strdup(merge->arena, *used);
}

// Of two names neither is the stricter one.
static void merge_name(struct merge *merge, const struct member *member, const char *setting, int ours,
                       int *value) {
    const char *before = member_name(member->names, member->name_count, ours);
    const char *text = member_name(member->names, member->name_count, *value);
    merge_text(merge, setting, before, before, &text);
    if (merge->is_baseline) *value = ours;
}

static void merge_limits(struct merge *merge, struct run_limits *used) {
    for (size_t i = 0; i < run_limits_members.count; ++i) {
        const struct member *member = &run_limits_members.members[i];
        const char *setting = arena_format(merge->arena, "limits.%s", member->key);
        const void *ours = (const char *)&merge->baseline.limits + member->offset;
        const void *fallback = (const char *)&merge->question->default_limits + member->offset;
        void *value = (char *)used + member->offset;
        if (member->type == MEMBER_NAME) {
            merge_name(merge, member, setting, *(const int *)ours, value);
            continue;
        }
        const struct number_rule rule = {setting, member->strictness, .fallback = *(const double *)fallback};
        merge_number(merge, &rule, *(const double *)ours, value);
    }
}

// What is measured is the baseline's choice: neither metric is the stricter one.
static void merge_metric(struct merge *merge, const char *given, const char **used) {
    const size_t count = merge->record->change_count;
    merge_text(merge, "gate.metric", merge->baseline.metric, str_or(merge->baseline.metric, *used), used);
    if (!given) return;
    *used = given;
    if (merge->record->change_count > count)
        merge->record->changes[count].used = arena_format(merge->arena, "%s (--metric)", given);
}

static const char *script_text(const struct sim_device *sim, struct arena *arena) {
    if (!sim) return NULL;
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    members_write_object(&w, NULL, &sim_device_members, sim, NULL);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

static void merge_device(struct merge *merge, const struct sim_device **used) {
    const struct sim_device *ours = merge->baseline.sim, *theirs = *used;
    const struct sim_device *named = theirs ? theirs : ours;
    if (!named) return;
    const char *text = script_text(theirs, merge->arena), *before = script_text(ours, merge->arena);
    merge_text(merge, arena_format(merge->arena, "devices.%s", named->name), before, str_or(before, text),
               &text);
    if (merge->is_baseline && ours) *used = ours;
}

// Neither is the stricter one: a pull request must not widen what its own kernel is compared by.
static void merge_tolerance(struct merge *merge, const struct own_tolerance **used) {
    const struct own_tolerance *ours = merge->baseline.tolerance;
    const char *before = own_tolerance_text(ours, merge->arena);
    const char *text = own_tolerance_text(*used, merge->arena);
    merge_text(merge, "tolerance", before, before, &text);
    *used = own_tolerance_choose(merge->is_baseline ? &ours : NULL, *used, NULL);
}

// A figure without an allowance is not judged; of two in different units neither is the stricter one.
static void merge_ratchet(struct merge *merge, enum compiler_figure figure, struct ratchet *used) {
    const struct ratchet ours = merge->baseline.spec.ratchets.of[figure], theirs = *used;
    const char *before = ratchet_text(&ours, merge->arena), *text = ratchet_text(&theirs, merge->arena);
    const bool takes_theirs = ratchet_is_stricter(&theirs, &ours);
    if (merge->is_baseline && !takes_theirs) *used = ours;
    merge_text(merge, arena_format(merge->arena, "gate.ratchet.%s", compiler_figure_key(figure)), before,
               takes_theirs ? text : before, &text);
}

static void merge_undecided(struct merge *merge, bool *used) {
    static const char *const words[] = {"fail", "warn"};
    const bool ours = merge->baseline.spec.warns_of_undecided, both = ours && *used;
    const char *text = words[*used];
    merge_text(merge, "gate.undecided", words[ours], words[both], &text);
    if (merge->is_baseline) *used = both;
}

// "pr (a, b)"; of many problems "fuzz (27 problems)"
static const char *suite_text(const struct suite *suite, struct arena *arena) {
    if (!suite->item_count) return NULL;
    struct strbuf names = {0};
    if (suite->item_count > NAMES_SHOWN_MAX) strbuf_addf(&names, "%zu problems", suite->item_count);
    for (size_t i = 0; suite->item_count <= NAMES_SHOWN_MAX && i < suite->item_count; ++i)
        comma_add(&names, str_or(suite->items[i].short_name, suite->items[i].problem.name));
    const char *ret = arena_format(arena, "%s (%s)", suite->name, strbuf_text(&names));
    strbuf_fini(&names);
    return ret;
}

// All problems of a suite have one, or none.
static const struct own_tolerance *suite_tolerance(const struct suite *suite) {
    return suite->item_count ? suite->items[0].tolerance : NULL;
}

static void merge_suite_tolerance(struct merge *merge, const char *setting, const struct suite *baseline,
                                  const struct suite *candidate, struct suite *used) {
    const struct own_tolerance *ours = suite_tolerance(baseline);
    const char *before = own_tolerance_text(ours, merge->arena);
    const char *text = own_tolerance_text(suite_tolerance(candidate), merge->arena);
    merge_text(merge, arena_format(merge->arena, "%s.tolerance", setting), before, before, &text);
    for (size_t i = 0; i < used->item_count; ++i)
        used->items[i].tolerance =
            own_tolerance_choose(merge->is_baseline ? &ours : NULL, used->items[i].tolerance, NULL);
}

static void merge_suite(struct merge *merge, const char *setting, const struct suite *baseline,
                        bool drops_removed, struct suite *used) {
    const struct suite candidate = *used;
    if (merge->is_baseline) {
        struct suite kept = *baseline;
        if (drops_removed) {
            kept = suite_union(&(struct suite){.name = baseline->name}, baseline, merge->arena); // a copy
            suite_keep_common(&kept, &candidate);
        }
        *used = suite_union(&kept, &candidate, merge->arena);
        if (drops_removed) used->name = candidate.name;
    }
    merge_suite_tolerance(merge, setting, baseline, &candidate, used);
    const struct policy_names only_baseline = suite_missing(baseline, &candidate, merge->arena);
    const struct policy_names only_candidate = suite_missing(&candidate, baseline, merge->arena);
    if (!only_baseline.count && !only_candidate.count) return;
    struct policy_change *change = add_change(merge, setting);
    change->baseline = suite_text(baseline, merge->arena);
    change->candidate = suite_text(&candidate, merge->arena);
    change->used = suite_text(used, merge->arena);
    change->only_baseline = only_baseline;
    change->only_candidate = only_candidate;
}

struct gate_policy policy_merge(const struct policy_question *question, struct arena *arena,
                                struct policy *ret_record) {
    struct gate_policy used = question->candidate;
    *ret_record = (struct policy){.source = question->source,
                                  .revision = arena_strdup(arena, question->revision),
                                  .changes = arena_array(arena, CHANGES_MAX, sizeof *ret_record->changes)};
    // A first manifest has none to be compared with.
    struct merge merge = {question->source == POLICY_FIRST ? question->candidate : question->baseline,
                          question, arena, ret_record, question->source == POLICY_BASELINE};
    const struct gate_policy *before = &merge.baseline;
    merge_text(&merge, "manifest", before->manifest, before->manifest, &used.manifest);
    merge_text(&merge, "gate.candidate", before->candidate, str_or(before->candidate, used.candidate),
               &used.candidate);
    // The candidate's: it is what the revision was found by.
    merge_text(&merge, "gate.baseline", before->baseline, used.baseline, &used.baseline);
    merge_tolerance(&merge, &used.tolerance);
    const struct number_rule regression = {"gate.regression_pct", STRICT_SMALLER, 0, "--regression",
                                           question->given.regression_pct},
                             improvement = {"gate.improvement_pct", STRICT_LARGER, 0, "--improvement",
                                            question->given.improvement_pct};
    merge_number(&merge, &regression, before->spec.regression_pct, &used.spec.regression_pct);
    merge_number(&merge, &improvement, before->spec.improvement_pct, &used.spec.improvement_pct);
    merge_limits(&merge, &used.limits);
    for (enum compiler_figure i = 0; i < COMPILER_FIGURE_COUNT; ++i)
        merge_ratchet(&merge, i, &used.spec.ratchets.of[i]);
    if (question->operator_name)
        merge_text(&merge, question->operator_name, before->declared, str_or(before->declared, used.declared),
                   &used.declared);
    merge_undecided(&merge, &used.spec.warns_of_undecided);
    merge_metric(&merge, question->given_metric, &used.metric);
    merge_suite(&merge, "gate.suite", &before->suite, question->given.allows_removed, &used.suite);
    merge_suite(&merge, "gate.check", &before->check, false, &used.check);
    merge_device(&merge, &used.sim);
    merge_text(&merge, "python_interpreter", before->python_interpreter, before->python_interpreter,
               &used.python_interpreter);
    return used;
}
