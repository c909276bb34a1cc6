// SPDX-License-Identifier: Apache-2.0
//
// Which problems and sides of a result are looked at: --only and --side of a sample report.
#ifndef CONTROL_REPORT_SAMPLES_SAMPLE_SELECT_H
#define CONTROL_REPORT_SAMPLES_SAMPLE_SELECT_H

#include <stdint.h>

#include "control/report/samples/sample_report.h"

struct sample_selection {
    bool *has_case; // owned; result->case_count
    size_t side_count;
    uint32_t sides[WORK_SIDES_MAX];
};

// ERR_USAGE names what there is. The caller ends with sample_select_fini() when 0 is returned.
int sample_select(const struct result *result, const struct sample_report_options *options,
                  struct sample_selection *ret, struct err *err);
void sample_select_fini(struct sample_selection *selection);

#endif
