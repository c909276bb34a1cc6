// SPDX-License-Identifier: Apache-2.0
//
// Which profiler counts.
#include "control/flow/profile/profile_run.h"

#include "base/file.h"
#include "control/flow/profile/profile_counters.h"
#include "control/flow/profile/profile_ncu.h"

static int check_device(const struct session *session, enum profiler profiler, struct err *err) {
    const bool is_gpu = session->kind->is_accelerator;
    if (session->sim)
        return err_set(err, ERR_UNAVAILABLE, "device '%s' is simulated: it has no counters",
                       session->options.device);
    if (is_gpu ? profiler == PROFILER_PERF : profiler == PROFILER_NCU || profiler == PROFILER_CUPTI)
        return err_set(err, ERR_USAGE, "--profiler %s does not count on device '%s': leave it to auto",
                       profiler_option(profiler), session->options.device);
    return 0;
}

// Nsight Compute knows more; what keeps it from counting need not keep CUPTI.
static int collect_on_gpu(const struct collecting *c, struct profile_collected *ret, struct err *err) {
    struct err why = {0}, also = {0};
    if (c->request->profiler == PROFILER_NCU) return profile_by_ncu(c, ret, err);
    if (c->request->profiler == PROFILER_CUPTI) return profile_by_counters(c, ret, err);
    int code = profile_by_ncu(c, ret, &why);
    if (code != -ERR_UNAVAILABLE) return code < 0 ? err_set(err, why.code, "%s", why.text) : 0;
    code = profile_by_counters(c, ret, &also);
    if (code < 0) return err_set(err, also.code, "%s. CUPTI did not count either: %s", why.text, also.text);
    ret->note =
        arena_format(&c->session->arena, "%s%s%s", why.text, ret->note ? ". " : "", str_or(ret->note, ""));
    return 0;
}

int profile_collect(struct session *session, const struct profile_request *request,
                    const struct suite_item *item, struct profile_collected *ret, struct err *err) {
    struct arena *arena = &session->arena;
    const struct collecting c = profile_collecting(session, request, item);
    *ret = (struct profile_collected){.stem = arena_format(arena, "%s/%s", request->folder, c.name)};
    TRY(check_device(session, request->profiler, err));
    TRY(file_make_dirs(request->folder, err));
    return session->kind->is_accelerator ? collect_on_gpu(&c, ret, err) : profile_by_counters(&c, ret, err);
}
