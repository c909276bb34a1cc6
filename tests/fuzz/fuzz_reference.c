// SPDX-License-Identifier: Apache-2.0
//
// Any bytes where a kept reference is expected: a file whose contents are what would be written is loaded,
// anything else is computed anew and replaced; either way the reference is right.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "worker/backend/backend.h"
#include "worker/check/reference.h"

#define FUZZ_PROBLEM "scale/fp32/n8"
#define FUZZ_SEED    42

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static struct {
    char dir[64];
    char *path; // of the reference
    struct device *device;
    struct case_buffers buffers;
    struct reference truth;
    char *file; // as it is written
    size_t file_bytes;
} fuzz;

static void clean_up(void) {
    unlink(fuzz.path);
    rmdir(fuzz.dir);
    free(fuzz.path);
    free(fuzz.file);
    reference_close(&fuzz.truth);
    case_buffers_fini(&fuzz.buffers);
    device_close(fuzz.device);
}

static void set_up(void) {
    struct problem problem;
    struct reference kept;
    const char *parent = getenv("TMPDIR");
    snprintf(fuzz.dir, sizeof fuzz.dir, "%.40s/assay-fuzz-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(fuzz.dir) ||
        device_open(&(struct device_request){.device = "cpu", .thread_count = 1}, &fuzz.device, NULL) < 0)
        abort();
    if (problem_parse(&operators_compiled, FUZZ_PROBLEM, &problem, NULL) < 0) abort();
    if (case_buffers_init(&fuzz.buffers, fuzz.device, &problem,
                          &(struct case_memory){.memory_layout = MEMORY_LAYOUT_DENSE}, NULL) < 0)
        abort();
    if (case_buffers_fill(&fuzz.buffers, OP_DISTRIBUTION_DEFAULT, FUZZ_SEED, NULL) < 0) abort();
    fuzz.path = reference_path(fuzz.dir, &problem, OP_DISTRIBUTION_DEFAULT, FUZZ_SEED);
    if (reference_open(&fuzz.truth, &fuzz.buffers, NULL, NULL) < 0) abort();
    if (reference_open(&kept, &fuzz.buffers, fuzz.dir, NULL) < 0) abort();
    reference_close(&kept);
    if (file_read(fuzz.path, 1 << 20, &fuzz.file, &fuzz.file_bytes, NULL) < 0) abort();
    atexit(clean_up);
}

static void check_right(const struct reference *reference) {
    if (reference->output_count != fuzz.truth.output_count) abort();
    if (memcmp(reference->same_precision, fuzz.truth.same_precision, sizeof reference->same_precision) != 0)
        abort();
    for (uint32_t i = 0; i < reference->output_count; ++i) {
        const uint64_t count = fuzz.truth.element_count[i];
        if (reference->element_count[i] != count) abort();
        if (memcmp(reference->outputs[i], fuzz.truth.outputs[i], count * sizeof(double)) != 0) abort();
    }
}

// A file that was not loaded has been replaced. (A loaded one may differ in bytes that nobody reads.)
static void check_replaced(void) {
    char *file = NULL;
    size_t file_bytes = 0;
    if (file_read(fuzz.path, 1 << 20, &file, &file_bytes, NULL) < 0) abort();
    if (file_bytes != fuzz.file_bytes || memcmp(file, fuzz.file, file_bytes) != 0) abort();
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    if (!fuzz.device) set_up();
    struct reference reference;
    FILE *out = fopen(fuzz.path, "wb");
    if (!out || fwrite(bytes, 1, count, out) != count || fclose(out) != 0) abort();
    const bool is_ours = count == fuzz.file_bytes && memcmp(bytes, fuzz.file, count) == 0;
    if (reference_open(&reference, &fuzz.buffers, fuzz.dir, NULL) < 0) abort();
    if (is_ours && !reference.is_loaded) abort();
    check_right(&reference);
    if (!reference.is_loaded) check_replaced();
    reference_close(&reference);
    return 0;
}
