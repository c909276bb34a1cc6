// SPDX-License-Identifier: Apache-2.0
#include "report/export/metric_label.h"

void metric_label_add(struct strbuf *out, const char *name, const char *value) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, str_or(value, ""), true);
    strbuf_addf(out, "%s=\"", name);
    for (const char *at = strbuf_text(&plain); *at; ++at) {
        if (*at == '"' || *at == '\\') strbuf_add_char(out, '\\');
        strbuf_add_char(out, *at);
    }
    strbuf_add_char(out, '"');
    strbuf_fini(&plain);
}
