// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a document of any form, in a folder with two sample files: it is read into a result that
// compares with itself and is no regression, or is refused with a sentence that names it. The first byte may
// ask for a form by name.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "format/format.h"
#include "fuzz/compare_itself.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static char folder[] = "/tmp/assay-fuzz-format-XXXXXX";

static void remove_folder(void) {
    file_remove_tree(folder, NULL);
}

// out.json-bin/0.bin: 8 times; out.json-freqs-bin/0.bin: 8 clocks.
static void make_folder(void) {
    static const char *const names[] = {"out.json-bin", "out.json-freqs-bin"};
    const float times_s[8] = {1e-3f, 1.01e-3f, 0.99e-3f, 1.02e-3f, 1e-3f, 1.03e-3f, 0.98e-3f, 1e-3f};
    float clocks_hz[8];
    for (size_t i = 0; i < 8; ++i) clocks_hz[i] = 1.98e9f;
    if (!mkdtemp(folder) || atexit(remove_folder)) abort();
    for (size_t i = 0; i < 2; ++i) {
        char *below = path_join(folder, names[i]), *path = path_join(below, "0.bin");
        if (file_make_dirs(below, NULL) < 0) abort();
        if (file_write_atomic(path, i ? clocks_hz : times_s, sizeof times_s, NULL) < 0) abort();
        free(below);
        free(path);
    }
}

static void check_times(const struct result *result) {
    for (size_t i = 0; i < result->case_count; ++i) {
        double *times = NULL;
        size_t count = result_case_times(&result->cases[i], 0, &times);
        for (size_t k = 0; k < count; ++k)
            if (!(isfinite(times[k]) && times[k] > 0)) abort();
        free(times);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const char where[] = "out.json";
    struct format_document document;
    struct result base = {0}, cand = {0};
    struct err err = {0};
    const char *wanted = NULL;
    static bool is_made;
    if (!is_made) make_folder();
    is_made = true;
    if (count && *bytes < 4) { // the first forms of the table
        wanted = format_table[*bytes]->name;
        bytes++, count--;
    }
    int code = format_open_text((const char *)bytes, count, where, wanted, &document, &err);
    if (code == 0) document.folder = mem_strdup(folder);
    if (code == 0 && document.format->read) {
        code = format_read(&document, &base, &err);
        if (code == 0 && format_read(&document, &cand, &err) < 0) abort();
        if (code == 0) check_times(&base);
        if (code == 0) {
            compare_with_itself(&base, &cand);
            report_in_every_form(&cand);
        }
    }
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, where))) abort();
    result_fini(&base);
    result_fini(&cand);
    format_close(&document);
    return 0;
}
