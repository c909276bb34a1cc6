// SPDX-License-Identifier: Apache-2.0
//
// A report as JSON: the result document itself, or its decision alone.
#include "base/json_writer.h"
#include "control/report/result/report_render.h"

int report_json_print(const struct result *result, const struct report_options *options, struct strbuf *out) {
    (void)options;
    result_write(result, out);
    return 0;
}

void report_decision_json(const struct decision *decision, struct strbuf *out) {
    struct json_writer writer = json_writer_make(out, 2);
    decision_write(&writer, NULL, decision);
    strbuf_add_char(out, '\n');
}
