// SPDX-License-Identifier: Apache-2.0
//
// The document formats that assay reads, and the two of its own. The first format whose is_mine() accepts the
// content reads the document.
#include "base/strbuf.h"
#include "format/format.h"

static bool is_assay(const json_t *root) {
    const json_t *kind = json_object_get(root, "kind");
    return json_is_string(kind) && str_equal(json_string_value(kind), RESULT_KIND);
}

static int read_assay(const struct format_source *source, struct result *ret, struct err *err) {
    return result_parse(source->root, source->where, ret, err);
}

const struct format format_assay = {
    .name = "assay",
    .title = "a result of assay",
    .summary = "assay's own result (\"kind\": \"" RESULT_KIND "\")",
    .is_mine = is_assay,
    .read = read_assay,
};

static bool is_integrated(const json_t *root) {
    bool has_times = json_is_object(json_object_get(root, "performance")) ||
                     json_is_object(json_object_get(root, "metrics"));
    return has_times && !json_object_get(root, "kind") && !json_object_get(root, "schema_version");
}

// Means without samples: verdict/integrated.h reads and compares them.
const struct format format_integrated = {
    .name = "integrated",
    .title = "an older integrated result",
    .summary = "the older form with one mean (\"correctness\" and \"performance\" or \"metrics\")",
    .is_mine = is_integrated,
};

const struct format *const format_table[] = {
    &format_assay,     &format_integrated,       &format_nvbench,   &format_google_benchmark,
    &format_hyperfine, &format_pytest_benchmark, &format_criterion, &format_asv,
    &format_bencher,   &format_action_benchmark, &format_go,        NULL,
};
