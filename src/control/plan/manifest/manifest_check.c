// SPDX-License-Identifier: Apache-2.0
//
// Do the sections of a manifest fit together? Suites that others are made from, kernels and suites that the
// gate names.
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest_internal.h"
#include "control/plan/peer.h"
#include "control/plan/sim_shipped.h"
#include "control/plan/suite.h"

static int suites_check(const struct schema_reader *reader, const struct manifest *manifest,
                        const yaml_node_t *root) {
    const yaml_node_t *section = schema_find(reader, root, "suites");
    for (size_t i = 0; i < manifest->suite_count; ++i) {
        const struct manifest_suite *suite = &manifest->suites[i];
        const yaml_node_t *node = schema_find(reader, section, suite->name);
        const yaml_node_t *from = schema_find(reader, node, "from");
        const char *key = schema_join(reader, "suites", suite->name);
        struct arena scratch = {0};
        struct suite resolved;
        struct err why = {0};
        int result = suite_resolve(manifest, suite->name, NULL, &scratch, &resolved, &why);
        arena_fini(&scratch);
        if (result < 0) return schema_fail(reader, from ? from : node, key, "%s", why.text);
    }
    return 0;
}

static int gate_suite_check(const struct schema_reader *reader, const struct manifest *manifest,
                            const yaml_node_t *gate, const char *name) {
    const yaml_node_t *node = schema_find(reader, gate, name);
    if (!node) return 0;
    const char *suite = (const char *)node->data.scalar.value;
    struct arena scratch = {0};
    struct suite resolved;
    struct err why = {0};
    int result = suite_resolve(manifest, suite, NULL, &scratch, &resolved, &why);
    arena_fini(&scratch);
    return result < 0 ? schema_fail(reader, node, schema_join(reader, "gate", name), "%s", why.text) : 0;
}

// A baseline is a kernel, a revision or a stored file.
static int gate_kernel_check(const struct schema_reader *reader, const struct manifest *manifest,
                             const yaml_node_t *gate, const char *name) {
    const yaml_node_t *node = schema_find(reader, gate, name);
    if (!node) return 0;
    const char *text = (const char *)node->data.scalar.value;
    const struct manifest_kernel *kernel;
    struct err why = {0};
    if (manifest_get_kernel(manifest, text, &kernel, &why) == 0 || sim_shipped_kernel_find(text)) return 0;
    bool is_baseline = str_equal(name, "baseline");
    if (is_baseline && (str_starts(text, "git:") || str_ends(text, ".json"))) return 0;
    return schema_fail(reader, node, schema_join(reader, "gate", name), "%s%s", why.text,
                       is_baseline ? "; a baseline may also be git:REV, git:merge-base or a stored .json file"
                                   : "");
}

// A name with a colon is a peer of assay's, a function in Python or a revision; which kernels are linked in
// is not known here.
static int peers_check(const struct schema_reader *reader, const struct manifest *manifest,
                       const yaml_node_t *peers) {
    for (size_t i = 0; i < manifest->peer_count; ++i) {
        const char *name = manifest->peers[i];
        const bool is_wrong = !*name || (strchr(name, ':') && !str_starts(name, "git:") && !peer_find(name) &&
                                         !peer_is_callable(name));
        char known[256];
        if (!is_wrong) continue;
        peer_format_names(NULL, known, sizeof known);
        return schema_fail(reader, peers, "peers",
                           "'%s' is no peer; there are %s, 'module:function' of Python, kernels and git:REV",
                           name, known);
    }
    return 0;
}

int manifest_check(const struct schema_reader *reader, const struct manifest *manifest) {
    const yaml_node_t *root = yaml_document_get_root_node(reader->document);
    const yaml_node_t *gate = schema_find(reader, root, "gate");
    TRY(suites_check(reader, manifest, root));
    TRY(peers_check(reader, manifest, schema_find(reader, root, "peers")));
    TRY(gate_suite_check(reader, manifest, gate, "suite"));
    TRY(gate_suite_check(reader, manifest, gate, "check"));
    TRY(gate_kernel_check(reader, manifest, gate, "candidate"));
    TRY(gate_kernel_check(reader, manifest, gate, "baseline"));
    return 0;
}
