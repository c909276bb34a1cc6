// SPDX-License-Identifier: Apache-2.0
//
// assay's own result document, as one form among others.
#include "base/strbuf.h"
#include "control/format/format.h"

static bool is_mine(const json_t *root) {
    const json_t *kind = json_object_get(root, "kind");
    return json_is_string(kind) && str_equal(json_string_value(kind), RESULT_KIND);
}

static int read_document(const struct format_source *source, struct result *ret, struct err *err) {
    return result_parse(source->root, source->where, ret, err);
}

const struct format format_assay = {
    .name = "assay",
    .title = "a result of assay",
    .summary = "assay's own result (\"kind\": \"" RESULT_KIND "\")",
    .is_mine = is_mine,
    .read = read_document,
};
