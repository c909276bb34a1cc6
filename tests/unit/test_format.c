// SPDX-License-Identifier: Apache-2.0
//
// Documents of other tools: which form a document is, numbers that JSON does not know, times as integers,
// names that stay different, and sample files that must lie where they should.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/bare_number.h"
#include "format/external_format.h"
#include "format/float_file.h"
#include "format/format.h"

// ---- the table ----

static void content_says_the_form(void **state) {
    (void)state;
    static const struct {
        const char *text, *name;
    } all[] = {
        {"{\"kind\": \"assay.result\"}", "assay"},
        {"{\"performance\": {\"mean_time_ms\": 1}}", "integrated"},
        {"{\"metrics\": {}}", "integrated"},
        {"{\"meta\": {\"version\": {\"nvbench\": {}}}, \"benchmarks\": null}", "nvbench"},
        {"{\"context\": {}, \"benchmarks\": []}", "google-benchmark"},
        {"{\"kind\": \"assay.plan\", \"metrics\": {}}", NULL},
        {"{\"benchmarks\": []}", NULL},
        {"{\"context\": {}, \"benchmarks\": {}}", NULL},
        {"{\"meta\": [], \"benchmarks\": []}", NULL},
        {"[]", NULL},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        struct format_document document;
        struct err err = {0};
        int code = format_open_text(all[i].text, strlen(all[i].text), "x.json", NULL, &document, &err);
        assert_int_equal(code, all[i].name ? 0 : -ERR_DATA);
        if (code == 0)
            assert_string_equal(document.format->name, all[i].name);
        else
            assert_true(strstr(err.text, "google-benchmark:") && strstr(err.text, "x.json"));
        format_close(&document);
    }
}

static void a_name_overrides_the_content(void **state) {
    (void)state;
    struct format_document document, other;
    struct err err = {0};
    static const char text[] = "{\"kind\": \"assay.result\"}";
    assert_int_equal(format_open_text(text, strlen(text), "x.json", "nvbench", &document, &err), 0);
    assert_ptr_equal(document.format, &format_nvbench);
    assert_int_equal(format_open_text(text, strlen(text), "y.json", NULL, &other, &err), 0);
    assert_int_equal(format_match(&document, &document, &err), 0);
    assert_int_equal(format_match(&document, &other, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "both must be of one form"));
    format_close(&document);
    format_close(&other);
    assert_int_equal(format_open_text(text, strlen(text), "x.json", "junit", &document, &err), -ERR_USAGE);
    assert_non_null(strstr(err.text, "assay, integrated, nvbench, google-benchmark"));
}

// ---- bare numbers ----

static void holds(const char *text, const char *wanted, size_t wanted_count) {
    struct strbuf out = {0};
    assert_int_equal(bare_number_replace(text, strlen(text), false, &out), wanted_count);
    assert_string_equal(strbuf_text(&out), wanted);
    strbuf_fini(&out);
}

static void bare_numbers_become_null_outside_strings(void **state) {
    (void)state;
    holds("{\"a\": NaN, \"b\":Infinity,\"c\" :\n -Infinity}", "{\"a\": null, \"b\":null,\"c\" :\n null}", 3);
    holds("[NaN,-NaN ,\tInfinity]", "[null,null ,\tnull]", 3);
    holds("[\"NaN\", \": NaN,\", \"\\\", NaN,\", \"\\\\\",NaN]",
          "[\"NaN\", \": NaN,\", \"\\\", NaN,\", \"\\\\\",null]", 1);
    holds("[NaNs, xNaN, 1NaN, NaN1, Infinityx, nan, -inf]", "[NaNs, xNaN, 1NaN, NaN1, Infinityx, nan, -inf]",
          0);
    holds("{NaN: 1}", "{NaN: 1}", 0); // a key, not a value
    holds("[1 NaN]", "[1 NaN]", 0);
    holds("[-1, - NaN, --Infinity]", "[-1, - NaN, --Infinity]", 0);
    holds(": NaN", ": null", 1); // the end of the text ends a word
    holds(": Na", ": Na", 0);
    holds("\"open, NaN", "\"open, NaN", 0);
    holds("\"open\\", "\"open\\", 0);
    holds("", "", 0);
}

static void only_forms_that_have_bare_numbers_are_mended(void **state) {
    (void)state;
    static const char google[] = "{\"context\": {}, \"benchmarks\": [], \"x\": NaN}";
    static const char own[] = "{\"kind\": \"assay.result\", \"x\": NaN}";
    static const char broken[] = "{\"context\": {}, \"benchmarks\": [], \"x\": NaN";
    struct format_document document;
    struct err err = {0};
    assert_int_equal(format_open_text(google, strlen(google), "x.json", NULL, &document, &err), 0);
    assert_int_equal(err.code, ERR_NONE);
    format_close(&document);
    assert_int_equal(format_open_text(own, strlen(own), "x.json", NULL, &document, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "NaN"));
    assert_int_equal(format_open_text(google, strlen(google), "x.json", "assay", &document, &err), -ERR_DATA);
    assert_int_equal(format_open_text(broken, strlen(broken), "x.json", NULL, &document, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "but the text ends"));
}

static void bare_numbers_are_found_in_linear_time(void **state) {
    (void)state;
    enum { COUNT = 1000000 };
    struct strbuf text = {0}, out = {0};
    strbuf_add(&text, "[0");
    for (int i = 0; i < COUNT; ++i) strbuf_add(&text, i % 2 ? ",   -Infinity" : ",NaN");
    assert_int_equal(bare_number_replace(text.text, text.length, false, &out),
                     COUNT); // quadratic would not end
    strbuf_fini(&text);
    strbuf_fini(&out);
}

// ---- times and names ----

static double time_ns_of(double time_ns, uint64_t launches) {
    struct result result;
    struct err err = {0};
    external_begin("nvbench", &result);
    assert_int_equal(external_reserve("x", 1, &result, &err), 0);
    struct result_case *item = external_case_add(&result, "f", 1);
    double ret = NAN;
    if (external_sample_add(item, time_ns, launches, NAN)) {
        assert_int_equal(result.cases[0].rounds[0].samples[0].count, 1);
        samples_times_ns(&item->rounds[0].samples[0], &ret);
    }
    result_fini(&result);
    return ret;
}

static void times_keep_six_digits(void **state) {
    (void)state;
    static const double times_ns[] = {0.3, 1.5, 999.5, 1612400.123, 3.3e9, 8.64e13, 1e16};
    static const uint64_t launches[] = {1, 310, 1000, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof times_ns / sizeof *times_ns; ++i)
        for (size_t k = 0; k < sizeof launches / sizeof *launches; ++k)
            assert_true(fabs(time_ns_of(times_ns[i], launches[k]) / times_ns[i] - 1) < 1e-6);
    // A thousand launches keep the picoseconds of NVBench's float32 seconds.
    assert_true(fabs(time_ns_of(1612400.123, 1000) - 1612400.123) < 1e-6);
}

static void what_is_no_time_is_refused(void **state) {
    (void)state;
    static const double bad[] = {0, -0.0, -1, 1e-300, 1e-12, 1e18, 1e300};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) assert_true(isnan(time_ns_of(bad[i], 1)));
    assert_true(isnan(time_ns_of(NAN, 1)) && isnan(time_ns_of(INFINITY, 1)) &&
                isnan(time_ns_of(-INFINITY, 1)));
}

static void names_stay_different_and_clean(void **state) {
    (void)state;
    char longer[2][2 * PROBLEM_NAME_BYTES];
    for (size_t i = 0; i < 2; ++i) {
        memset(longer[i], 'x', sizeof longer[i] - 1);
        longer[i][sizeof longer[i] - 2] = (char)('a' + i);
        longer[i][sizeof longer[i] - 1] = 0;
    }
    const char *const names[] = {"plain",      "esc\x1b[31m",       "esc?[31m", "del\x7f",
                                 "c1\xc2\x9b", "\xc3\xa9t\xc3\xa9", longer[0],  longer[1]};
    enum { COUNT = sizeof names / sizeof *names };
    struct result result;
    struct err err = {0};
    external_begin("nvbench", &result);
    assert_int_equal(external_reserve("x", COUNT + 1, &result, &err), 0);
    for (size_t i = 0; i < COUNT; ++i) external_case_add(&result, names[i], 0);
    assert_int_equal(external_end("x.json", &result, &err), 0);
    assert_string_equal(result.cases[0].problem.name, "plain");
    assert_string_equal(result.cases[2].problem.name, "esc?[31m");
    assert_string_equal(result.cases[5].problem.name, names[5]);
    assert_int_equal(strlen(result.cases[6].problem.name), PROBLEM_NAME_BYTES - 1);
    for (size_t i = 0; i < COUNT; ++i)
        for (const char *at = result.cases[i].problem.name; *at; ++at)
            assert_true((unsigned char)*at >= 0x20 && *at != 0x7f && (unsigned char)*at != 0x9b);
    external_case_add(&result, "plain", 0);
    assert_int_equal(external_end("x.json", &result, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "'plain' is there twice"));
    result_fini(&result);
    external_begin("nvbench", &result);
    assert_int_equal(external_reserve("x", RESULT_CASES_MAX + 1, &result, &err), -ERR_DATA);
    result_fini(&result);
}

// ---- sample files ----

static void sample_files_are_little_endian(void **state) {
    (void)state;
    static const unsigned char bytes[] = {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0xc0, 0x7f}; // 1, -2, NaN
    char folder[] = "/tmp/assay-format-XXXXXX";
    struct err err = {0};
    float *values = NULL;
    assert_non_null(mkdtemp(folder));
    char *path = path_join(folder, "0.bin");
    assert_int_equal(file_write_atomic(path, bytes, sizeof bytes, &err), 0);
    struct float_file file = {"x.json", folder, "0.bin", 3};
    assert_int_equal(float_file_read(&file, &values, &err), 0);
    assert_true(values[0] == 1 && values[1] == -2 && isnan(values[2]));
    free(values);
    static const size_t wrong[] = {0, 2, 4, SIZE_MAX / 4 + 4}; // the last: 4 x count wraps to 12
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        file.count = wrong[i];
        assert_int_equal(float_file_read(&file, &values, &err), -ERR_DATA);
        assert_non_null(strstr(err.text, "0.bin"));
    }
    file = (struct float_file){"x.json", NULL, "0.bin", 3}; // text in memory lies in no folder
    assert_int_equal(float_file_read(&file, &values, &err), -ERR_DATA);
    assert_int_equal(file_remove_tree(folder, &err), 0);
    free(path);
}

static void names_of_sample_files_stay_in_the_folder(void **state) {
    (void)state;
    static const char *const names[] = {"",        "/",    "/etc/passwd", "..", "../0.bin", "a/../0.bin",
                                        "./0.bin", "a//b", "a/",          ".",  "a/..",     "a/./0.bin"};
    struct err err = {0};
    float *values = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        const struct float_file file = {"x.json", "/tmp", names[i], 0};
        assert_int_equal(float_file_read(&file, &values, &err), -ERR_DATA);
        assert_non_null(strstr(err.text, "is refused"));
    }
    char longer[2000] = {0};
    memset(longer, 'x', sizeof longer - 1);
    const struct float_file file = {"x.json", "/tmp", longer, 0};
    assert_int_equal(float_file_read(&file, &values, &err), -ERR_DATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(content_says_the_form),
        cmocka_unit_test(a_name_overrides_the_content),
        cmocka_unit_test(bare_numbers_become_null_outside_strings),
        cmocka_unit_test(only_forms_that_have_bare_numbers_are_mended),
        cmocka_unit_test(bare_numbers_are_found_in_linear_time),
        cmocka_unit_test(times_keep_six_digits),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(names_stay_different_and_clean),
        cmocka_unit_test(sample_files_are_little_endian),
        cmocka_unit_test(names_of_sample_files_stay_in_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
