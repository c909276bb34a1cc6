// SPDX-License-Identifier: Apache-2.0
//
// The schema and the page of assay.yaml are those that the reader's tables give; `make docs` writes them
// (this program with ASSAY_WRITE_DOCS=1). Whether manifests match: tests/cli/docs/manifest_schema.sh.
#include <string.h>

#include "control/plan/manifest/manifest.h"
#include "unit/written_docs.h"

static void test_docs(void **state) {
    (void)state;
    struct arena arena = {0};
    written_docs_hold_tables(manifest_members(&arena), "assay.yaml, the manifest of assay, version 1",
                             ASSAY_SOURCE_DIR "/docs/manifest.schema.json",
                             ASSAY_SOURCE_DIR "/docs/manifest.md");
    arena_fini(&arena);
}

static const struct member *find_key(const struct member_table *table, const char *key) {
    for (size_t i = 0; i < table->count; ++i)
        if (str_equal(table->members[i].key, key)) return &table->members[i];
    fail_msg("no key '%s' in '%s'", key, table->name);
    return NULL;
}

// Limits and words are the reader's, keys of a table inside a table are there, figures of scripts too.
static void test_rows(void **state) {
    (void)state;
    struct arena arena = {0};
    const struct member_table *all = manifest_members(&arena);
    const struct member_table *gate = find_key(all, "gate")->table, *kernel = find_key(all, "kernels")->table;
    const struct member *regression = find_key(gate, "regression_pct"),
                        *undecided = find_key(gate, "undecided");
    assert_true(regression->has_low && regression->low == 0.01 && regression->high == REGRESSION_PCT_MAX);
    assert_int_equal(undecided->type, MEMBER_NAME);
    assert_int_equal(undecided->name_count, 3);
    assert_string_equal(undecided->names[2], "warn");
    assert_string_equal(find_key(find_key(kernel, "sim")->table, "base_us")->fallback, "100");
    assert_true(find_key(kernel, "operator")->flags & MEMBER_REQUIRED);
    assert_non_null(strstr(kernel->rule, "\"python\""));
    arena_fini(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_docs), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
