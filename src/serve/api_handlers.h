// SPDX-License-Identifier: Apache-2.0
//
// Who answers: one function for each row of the table in routes.c. docs/serve.md has what they say.
#ifndef SERVE_API_HANDLERS_H
#define SERVE_API_HANDLERS_H

#include "serve/serve_call.h"

int api_changes(struct serve_call *call, struct err *err);
int api_problems(struct serve_call *call, struct err *err);
int api_history(struct serve_call *call, struct err *err);
int api_runs(struct serve_call *call, struct err *err);
int api_run(struct serve_call *call, struct err *err);
int api_run_document(struct serve_call *call, struct err *err);
int api_run_report(struct serve_call *call, struct err *err);
int api_compare(struct serve_call *call, struct err *err);
int api_compare_report(struct serve_call *call, struct err *err);
int api_profiles(struct serve_call *call, struct err *err);
int api_profile(struct serve_call *call, struct err *err);
int api_profile_document(struct serve_call *call, struct err *err);
int api_profile_roofline(struct serve_call *call, struct err *err);
int api_tunings(struct serve_call *call, struct err *err);
int api_tuning(struct serve_call *call, struct err *err);
int api_tuning_document(struct serve_call *call, struct err *err);
int api_tuning_log(struct serve_call *call, struct err *err);
int api_answers(struct serve_call *call, struct err *err);
int api_answer(struct serve_call *call, struct err *err);
int api_answer_document(struct serve_call *call, struct err *err);
int api_leaderboard(struct serve_call *call, struct err *err);
int api_baselines(struct serve_call *call, struct err *err);
int api_facets(struct serve_call *call, struct err *err);
int api_live(struct serve_call *call, struct err *err);
int api_upload(struct serve_call *call, struct err *err);
int api_metrics(struct serve_call *call, struct err *err);

#endif
