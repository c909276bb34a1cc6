// SPDX-License-Identifier: Apache-2.0
//
// Shared by the tests of src/stats: loading tests/golden/golden_stats.json (NumPy 1.24, SciPy 1.10) and its
// neighbours, access to its fields that fails the test where one is missing or of the wrong type, and
// comparisons at the tolerances that the file states.
#ifndef ASSAY_TEST_STATS_GOLDEN_H
#define ASSAY_TEST_STATS_GOLDEN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"

#ifndef ASSAY_GOLDEN_DIR
#define ASSAY_GOLDEN_DIR "tests/golden"
#endif

#define GOLDEN_REL   1e-12
#define GOLDEN_REL_P 1e-9

static inline json_t *golden_load_file(const char *name) {
    struct err err = {0};
    json_t *root = NULL;
    const char *dir = getenv("ASSAY_GOLDEN_DIR");
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", dir != NULL ? dir : ASSAY_GOLDEN_DIR, name);
    if (json_read_file(path, &root, &err) < 0) fail_msg("%s", err.text);
    return root;
}

static inline json_t *golden_load(void) {
    return golden_load_file("golden_stats.json");
}

static inline const json_t *golden_get(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);

    if (value == NULL) fail_msg("golden field %s is missing", key);
    return value;
}

static inline double golden_number(const json_t *object, const char *key) {
    const json_t *value = golden_get(object, key);

    if (!json_is_number(value)) fail_msg("golden field %s is no number", key);
    return json_number_value(value);
}

static inline size_t golden_count(const json_t *object, const char *key) {
    return (size_t)json_integer_value(golden_get(object, key));
}

static inline const char *golden_name(const json_t *object) {
    return json_string_value(golden_get(object, "name"));
}

// Numbers of an array; the caller frees.
static inline double *golden_numbers(const json_t *array, size_t *count) {
    size_t n = json_array_size(array);
    double *x = calloc(n > 0 ? n : 1, sizeof *x);

    if (x == NULL || !json_is_array(array)) fail_msg("golden array expected");
    for (size_t i = 0; i < n; ++i) x[i] = json_number_value(json_array_get(array, i));
    *count = n;
    return x;
}

static inline double golden_at(const json_t *object, const char *key, size_t index) {
    return json_number_value(json_array_get(golden_get(object, key), index));
}

static inline void expect_rel(const char *name, const char *field, double got, double want,
                              double tolerance) {
    if (got == want) return;
    if (!(fabs(got - want) <= tolerance * fabs(want)))
        fail_msg("%s: %s is %.17g, golden %.17g (relative %.2g)", name, field, got, want,
                 fabs(got / want - 1.0));
}

static inline void expect_exact(const char *name, const char *field, double got, double want) {
    expect_rel(name, field, got, want, 0.0);
}

// A number, or null where the figure is undefined and must be NaN.
static inline void expect_or_nan(const char *name, const json_t *object, const char *key, double got) {
    if (json_is_null(golden_get(object, key))) {
        if (!isnan(got)) fail_msg("%s: %s is %.17g, golden undefined", name, key, got);
    } else {
        expect_rel(name, key, got, golden_number(object, key), GOLDEN_REL);
    }
}

// Fails on a field that is in none of the tests' lists, so that nothing new goes unchecked.
static inline void expect_known_keys(const json_t *object, const char *const *known, size_t count) {
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value) {
        bool is_known = false;

        for (size_t i = 0; i < count; ++i) is_known |= strcmp(key, known[i]) == 0;
        if (!is_known) fail_msg("golden field %s is checked by no test", key);
    }
}

#endif
