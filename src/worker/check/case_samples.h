// SPDX-License-Identifier: Apache-2.0
//
// A sampler, whose results are drawn (op/declared/declared.h): one launch says little, many say whether they
// are drawn as they should be.
#ifndef WORKER_CHECK_CASE_SAMPLES_H
#define WORKER_CHECK_CASE_SAMPLES_H

#include "worker/check/check_request.h"

// Launches DECLARED_SAMPLES times on the case's inputs, of which the seed is another each time where one is
// declared, and asks `accept` of all results. The inputs come back, the outputs are of the last launch.
// enum check_step, passed also of what is no sampler.
int case_samples_check(const struct check_request *request, struct check_result *ret, struct err *err);

#endif
