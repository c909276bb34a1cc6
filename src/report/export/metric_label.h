// SPDX-License-Identifier: Apache-2.0
//
// A label of a figure in the text formats of OpenMetrics and Prometheus.
#ifndef REPORT_EXPORT_METRIC_LABEL_H
#define REPORT_EXPORT_METRIC_LABEL_H

#include "base/strbuf.h"

// Adds NAME="VALUE"; name: with a comma before it, unless it is the first. What is not seen in the value is
// an escape, quotes and backslashes are escaped (OpenMetrics 1.0, ABNF of escaped strings). NULL is "".
void metric_label_add(struct strbuf *out, const char *name, const char *value);

#endif
