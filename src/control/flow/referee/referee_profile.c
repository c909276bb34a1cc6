// SPDX-License-Identifier: Apache-2.0
//
// The bottleneck of a candidate that is right, where its launch takes longest. A profiler cannot look into
// the sandbox, so the candidate runs without one: only where the person who started this asks for it.
#include <math.h>

#include "control/flow/profile/profile_run.h"
#include "control/flow/referee/referee_run.h"
#include "report/profile/profile_report.h"

// NULL: nothing was checked.
static const struct result_case *find_slowest(const struct referee *referee) {
    const struct result *result = &referee->run.result;
    const struct referee_record *record = &referee->record;
    size_t slowest = 0;
    for (size_t i = 1; i < record->problem_count; ++i)
        if (record->problems[i].median_ns > record->problems[slowest].median_ns) slowest = i;
    if (result->case_count) return &result->cases[slowest];
    return result->check_count ? &result->checks[0] : NULL;
}

static int collect(struct referee *referee, const struct result_case *measured, struct referee_profile *ret,
                   struct err *err) {
    struct session *session = &referee->session;
    struct arena *arena = &referee->record.arena;
    const struct suite_item item = {.problem = measured->problem, .distribution = measured->distribution};
    const struct profile_request request = {.skip_count = PROFILE_LAUNCH_SKIP,
                                            .folder = arena_format(arena, "%s/profile", referee->run.dir),
                                            .is_private = true,
                                            .set = PROFILE_SET_STANDARD,
                                            .cache_mode = CACHE_ROTATE,
                                            .profiler = session->kind->is_accelerator ? PROFILER_CUPTI
                                                                                      : PROFILER_PERF};
    struct profile_collected collected;
    TRY(profile_collect(session, &request, &item, &collected, err));
    const struct profiled launch = profiled_make(&collected.report.launches[collected.chosen],
                                                 collected.profiler == PROFILER_PERF, arena);
    const struct diagnosis *diagnosis = &launch.diagnosis;
    ret->profiler = profiler_name(collected.profiler);
    ret->bottleneck = bottleneck_name(diagnosis->bottleneck);
    ret->because = diagnosis->because;
    ret->note = arena_strdup(arena, collected.note);
    if (!diagnosis->hypothesis_count) return 0;
    ret->hypothesis = diagnosis->hypotheses[0].text;
    ret->test = diagnosis->hypotheses[0].test;
    return 0;
}

int referee_profile(struct referee *referee, struct err *err) {
    struct referee_record *record = &referee->record;
    const struct result_case *measured = find_slowest(referee);
    struct err why = {0};
    if (!measured) return 0;
    struct referee_profile *profile = arena_alloc(&record->arena, sizeof *profile);
    record->profile = profile;
    profile->problem = arena_strdup(&record->arena, measured->problem.name);
    const int code = collect(referee, measured, profile, &why);
    if (code == -ERR_CANCELLED) return err_set(err, why.code, "%s", why.text);
    if (code < 0) profile->note = arena_strdup(&record->arena, why.text);
    profile->sentence =
        code < 0
            ? arena_format(&record->arena, "nothing was counted: %s", profile->note)
            : arena_format(&record->arena, "%s: %s%s%s", profile->bottleneck, str_or(profile->because, ""),
                           profile->hypothesis ? "; try: " : "", str_or(profile->hypothesis, ""));
    return 0;
}
