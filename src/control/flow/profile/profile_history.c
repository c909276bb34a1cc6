// SPDX-License-Identifier: Apache-2.0
//
// See profile_history.h.
#include "control/flow/profile/profile_history.h"

#include "base/clock.h"
#include "control/flow/history_keep.h"

enum { TIME_BYTES = 32 };

// What the measurement beside the profile says of side, run and device.
static struct stored_profile of_result(const struct result *result, uint32_t side, struct arena *arena) {
    const struct environment *environment = &result->environment;
    return (struct stored_profile){.run_id = result->run_id,
                                   .side = result_side_name(result, side, arena),
                                   .kernel = result->sides[side].kernel,
                                   .suite = result->suite,
                                   .device_uuid = environment->device_uuid,
                                   .device = environment->device_name,
                                   .driver = environment->driver,
                                   .host = environment->host};
}

void profile_history_keep(struct session *session, const struct profile_source *source,
                          const char **ret_warning) {
    const struct profiled *launch = source->launch;
    const struct profile_report report = {.count = 1, .items = launch, .roofline = source->roofline};
    struct stored_profile row = source->result ? of_result(source->result, source->side, &session->arena)
                                               : (struct stored_profile){.side = source->kernel,
                                                                         .kernel = source->kernel,
                                                                         .device = session->options.device};
    char now[TIME_BYTES];
    struct strbuf document = {0};
    clock_utc_text(now, sizeof now);
    row.created_utc = now;
    row.problem = launch->problem;
    row.profiler = launch->profiler;
    row.bottleneck = bottleneck_name(launch->diagnosis.bottleneck);
    row.because = launch->diagnosis.because;
    profile_report_json(&report, &document);
    history_keep_profile(session, &row, &document, ret_warning);
    strbuf_fini(&document);
}
