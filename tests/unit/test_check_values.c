// SPDX-License-Identifier: Apache-2.0
//
// Values in checks: the comparison with its rule for NaN and infinity, poison and gaps, rotating rows,
// stored references, and the 2 x rule.
#include <glob.h>
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
#include "base/strbuf.h"
#include "op/dtype.h"
#include "op/mutant.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"
#include "worker/check/reference.h"
#include "worker/check/same_precision.h"
#include "worker/check/tensor_compare.h"
#include "worker/order/work_internal.h"

static struct device *device;

static int open_device(void **state) {
    (void)state;
    return device_open(&(struct device_request){.device = "cpu"}, &device, NULL);
}

static int close_device(void **state) {
    (void)state;
    device_close(device);
    return 0;
}

// [2][3][4] fp32, rows 4 elements apart or `pitch`.
static struct assay_tensor tensor_of(float *data, int64_t pitch) {
    return (struct assay_tensor){.role = ASSAY_O,
                                 .access = ASSAY_OUT,
                                 .dtype = ASSAY_FP32,
                                 .dim_count = 3,
                                 .shape = {2, 3, 4},
                                 .stride = {3 * pitch, pitch, 1},
                                 .data = data};
}

static const struct op_tolerance tolerance = {
    .atol = 1e-3, .rtol = 1e-3, .min_pass_fraction = 1, .rel_l2_max = INFINITY};

static void compare(const float *values, const double *reference, struct tensor_verdict *ret) {
    float data[24];
    memcpy(data, values, sizeof data);
    struct assay_tensor tensor = tensor_of(data, 4);
    tensor_compare(&tensor, reference, &tolerance, POISON_OUTPUT, device->host_stream, ret);
}

static void test_isnan_works(void **state) {
    (void)state;
    volatile double nan_value = NAN; // with fast math the compiler would fold these the other way
    assert_true(isnan(nan_value));
    assert_false(nan_value <= 1.0);
    assert_false(element_passes(nan_value, 0, &tolerance));
}

static void test_not_numbers(void **state) {
    (void)state;
    assert_true(element_passes(NAN, NAN, &tolerance));
    assert_false(element_passes(0, NAN, &tolerance));
    assert_false(element_passes(INFINITY, NAN, &tolerance));
    assert_true(element_passes(INFINITY, INFINITY, &tolerance));
    assert_false(element_passes(-INFINITY, INFINITY, &tolerance));
    assert_false(element_passes(1e30, INFINITY, &tolerance));
    assert_false(element_passes(NAN, INFINITY, &tolerance));
    const double faint = dev_double(DEV_FAINT_INFINITY_BITS); // of a weight that a right kernel may lose
    assert_true(element_passes(NAN, faint, &tolerance) && element_passes(INFINITY, faint, &tolerance));
    assert_false(element_passes(-INFINITY, faint, &tolerance) || element_passes(1e30, faint, &tolerance));
    assert_false(element_passes(INFINITY, 1e30, &tolerance));
    assert_true(element_passes(1.0019, 1, &tolerance));
    assert_false(element_passes(1.0021, 1, &tolerance));
}

static void test_figures(void **state) {
    (void)state;
    float values[24];
    double reference[24];
    for (int i = 0; i < 24; ++i) values[i] = (float)(reference[i] = i - 10);
    struct tensor_verdict verdict;
    compare(values, reference, &verdict);
    assert_true(verdict.is_passed);
    assert_true(verdict.error.max_abs == 0 && verdict.error.rel_l2 == 0 && verdict.error.max_rel == 0);
    assert_true(fabs(verdict.error.correlation - 1) < 1e-12);
    values[17] += 0.5f; // [1][1][1]
    values[20] += 1.0f;
    compare(values, reference, &verdict);
    assert_false(verdict.is_passed);
    assert_int_equal(verdict.error.failed_count, 2);
    assert_int_equal(verdict.first_failed, 17);
    const int64_t first[] = {1, 1, 1};
    assert_memory_equal(verdict.error.worst_coord, first, sizeof first);
    assert_true(verdict.error.worst_expected == 7 && verdict.error.worst_got == 7.5);
    assert_true(verdict.error.max_abs == 1);
    assert_true(fabs(verdict.error.max_rel - 1.0 / 13) < 1e-12);
    assert_true(fabs(verdict.error.mean_abs - 1.5 / 24) < 1e-12);
    assert_true(fabs(verdict.error.rms - sqrt(1.25 / 24)) < 1e-12);
}

static void test_kinds_of_wrong(void **state) {
    (void)state;
    float values[24] = {0};
    double reference[24] = {0};
    struct tensor_verdict verdict;
    values[5] = NAN;
    compare(values, reference, &verdict);
    assert_false(verdict.is_passed);
    assert_int_equal(verdict.not_number_count, 1);
    assert_int_equal(verdict.first_not_number, 5);
    assert_int_equal(verdict.unwritten_count, 0);
    struct assay_tensor one = tensor_of(values, 4);
    tensor_poison(&one, POISON_OUTPUT);
    for (int i = 0; i < 23; ++i) values[i] = 0;
    compare(values, reference, &verdict);
    assert_false(verdict.is_passed);
    assert_int_equal(verdict.unwritten_count, 1);
    assert_int_equal(verdict.first_unwritten, 23);
    reference[23] = NAN; // a NaN is right here, and poison is one
    compare(values, reference, &verdict);
    assert_true(verdict.is_passed);
}

static void test_few_may_fail(void **state) {
    (void)state;
    float values[24] = {0};
    double reference[24] = {0};
    struct op_tolerance some = tolerance;
    some.min_pass_fraction = 0.9;
    struct assay_tensor tensor = tensor_of(values, 4);
    struct tensor_verdict verdict;
    values[0] = values[1] = 1;
    tensor_compare(&tensor, reference, &some, POISON_OUTPUT, device->host_stream, &verdict);
    assert_true(verdict.is_passed);
    values[2] = 1;
    tensor_compare(&tensor, reference, &some, POISON_OUTPUT, device->host_stream, &verdict);
    assert_false(verdict.is_passed);
    // No element of the share may be far off, and that one is reported.
    values[2] = 0;
    some.far_factor = 1200;
    tensor_compare(&tensor, reference, &some, POISON_OUTPUT, device->host_stream, &verdict);
    assert_true(verdict.is_passed);
    values[1] = 1.3f;
    tensor_compare(&tensor, reference, &some, POISON_OUTPUT, device->host_stream, &verdict);
    assert_false(verdict.is_passed);
    assert_int_equal(verdict.error.failed_count, 2);
    assert_int_equal(verdict.first_failed, 1);
    assert_true(verdict.error.worst_got == 1.3f);
    values[1] = values[2] = 0;
    values[0] = NAN; // no share of NaN is few enough
    tensor_compare(&tensor, reference, &some, POISON_OUTPUT, device->host_stream, &verdict);
    assert_false(verdict.is_passed);
}

// What a manifest asks stands in the place of the operator's; the rest stays.
static void test_own_tolerance(void **state) {
    (void)state;
    const struct op_tolerance plain = {
        .atol = 1, .rtol = 0.25, .min_pass_fraction = 1, .rel_l2_max = 0.05, .is_two_x_gated = true};
    struct own_tolerance own = own_tolerance_unknown();
    struct op_tolerance used = plain;
    own_tolerance_apply(NULL, &used);
    assert_memory_equal(&used, &plain, sizeof used);
    own.is_two_x_off = true;
    own_tolerance_apply(&own, &used);
    assert_true(!used.is_two_x_gated && used.atol == 1 && used.rel_l2_max == 0.05);
    own = own_tolerance_unknown();
    own.atol = 2;
    own.min_pass = 0.9;
    used = plain;
    own_tolerance_apply(&own, &used);
    assert_true(used.atol == 2 && used.rtol == 0.25 && used.is_two_x_gated && isinf(used.rel_l2_max));
    struct op_tolerance far;
    assert_true(tolerance_find_far(&used, &far) && far.atol == 8); // no row may be left unwritten
}

static void test_poison_and_gaps(void **state) {
    (void)state;
    for (int32_t dtype = ASSAY_FP32; dtype < ASSAY_DTYPE_END; ++dtype) {
        _Alignas(16) unsigned char memory[8 * 48];
        struct assay_tensor tensor = tensor_of((float *)(void *)memory, 8);
        tensor.dtype = dtype;
        uint64_t row;
        double values[POISON_COUNT] = {0};
        for (int poison = POISON_OUTPUT; poison < POISON_COUNT; ++poison) {
            const uint64_t bits = poison_bits(dtype, (enum poison)poison);
            dtype_load_row(dtype, &bits, 1, &values[poison]);
        }
        assert_true(isfinite(values[POISON_FINITE]) && values[POISON_FINITE] != 0);
        assert_true(values[POISON_FINITE] != values[POISON_OUTPUT]); // a NaN, where the type has one
        tensor_poison(&tensor, POISON_OUTPUT);
        assert_true(tensor_is_poison(&tensor, memory, POISON_OUTPUT));
        assert_false(tensor_is_poison(&tensor, memory, POISON_OUTPUT_AGAIN));
        assert_false(tensor_find_gap_written(&tensor, POISON_OUTPUT, &row));
        const struct tensor_rows rows = tensor_rows_of(&tensor);
        assert_int_equal(rows.row_count, 6);
        assert_int_equal(rows.pitch_bytes, 2 * rows.row_bytes);
        assert_true(tensor_has_poison(&tensor, POISON_OUTPUT));
        memset(memory + 2 * rows.pitch_bytes, 0, rows.row_bytes); // a row is no gap
        assert_false(tensor_find_gap_written(&tensor, POISON_OUTPUT, &row));
        memory[2 * rows.pitch_bytes + rows.row_bytes] ^= 1;
        assert_true(tensor_find_gap_written(&tensor, POISON_OUTPUT, &row));
        assert_int_equal(row, 2);
        for (size_t r = 0; r < rows.row_count; ++r) memset(memory + r * rows.pitch_bytes, 0, rows.row_bytes);
        assert_false(tensor_has_poison(&tensor, POISON_OUTPUT)); // a gap has no element
        memcpy(memory + 5 * rows.pitch_bytes + rows.row_bytes - rows.element_bytes,
               &(uint64_t){poison_bits(dtype, POISON_OUTPUT)}, rows.element_bytes);
        assert_true(tensor_has_poison(&tensor, POISON_OUTPUT));
        assert_false(tensor_has_poison(&tensor, POISON_OUTPUT_AGAIN));
    }
}

static void test_coordinates(void **state) {
    (void)state;
    // Memory order [1][0][2], as layouts like bshd have it; one dimension of extent 1.
    struct assay_tensor tensor = {
        .dtype = ASSAY_FP32, .dim_count = 4, .shape = {3, 1, 5, 4}, .stride = {4, 60, 12, 1}};
    for (uint64_t i = 0; i < tensor_element_count(&tensor); ++i) {
        int64_t coord[ASSAY_MAX_DIMS], back[ASSAY_MAX_DIMS];
        tensor_coord(&tensor, i, coord);
        tensor_coord_at(&tensor, tensor_offset(&tensor, coord), back);
        assert_memory_equal(coord, back, 4 * sizeof coord[0]);
    }
    char text[64];
    const int64_t coord[] = {1, 0, 42};
    coord_format(coord, 3, text, sizeof text);
    assert_string_equal(text, "[1][0][42]");
}

static void test_rotate(void **state) {
    (void)state;
    float data[48], before[48], scratch[24];
    for (int i = 0; i < 48; ++i) before[i] = data[i] = (float)i;
    struct assay_tensor tensor = tensor_of(data, 8);
    tensor_rotate(&tensor, 2, scratch);
    assert_true(data[2 * 8] == 0 && data[0] == 4 * 8); // row 0 is now row 2, row 4 is row 0
    assert_true(data[4] == 4);                         // gaps stay
    tensor_rotate(&tensor, -2, scratch);
    assert_memory_equal(data, before, sizeof data);
    struct assay_tensor row = {
        .dtype = ASSAY_FP32, .dim_count = 1, .shape = {24}, .stride = {1}, .data = data};
    tensor_rotate(&row, 1, scratch);
    assert_true(data[0] == 23 && data[1] == 0);
}

// ---- references ----

static struct case_buffers *filled(const char *name, enum memory_layout memory_layout, uint64_t seed) {
    struct problem problem;
    struct err err;
    if (problem_parse(&operators_compiled, name, &problem, &err) < 0) fail_msg("%s", err.text);
    struct case_buffers *buffers = mem_alloc(sizeof *buffers);
    assert_int_equal(case_buffers_init(buffers, device, &problem,
                                       &(struct case_memory){.memory_layout = memory_layout}, &err),
                     0);
    if (case_buffers_fill(buffers, "normal", seed, &err) < 0) fail_msg("%s", err.text);
    return buffers;
}

static void release(struct case_buffers *buffers) {
    case_buffers_fini(buffers);
    free(buffers);
}

// Where no set is used twice, a launch has a set of its own; of those that the host copies to a device no
// more than 256 MiB.
static void test_sets_a_sample(void **state) {
    (void)state;
    struct device copied = {.wants_whole_rotations = true}, near = {0};
    struct buffer each[2] = {{.bytes = (1 << 20) - 8}, {.bytes = 7}};
    struct case_buffers buffers = {
        .device = &copied, .checker = &checker_host, .tensor_count = 2, .buffers = each};
    assert_int_equal(work_sets_a_sample(&buffers, 257), 257);
    assert_int_equal(work_sets_a_sample(&buffers, 258), 257);
    buffers.checker = &checker_device; // it fills them where they lie
    assert_int_equal(work_sets_a_sample(&buffers, 500), 500);
    buffers.device = &near, buffers.checker = &checker_host;
    assert_int_equal(work_sets_a_sample(&buffers, 500), 500);
}

// Where outputs lie among the other tensors counts: in each second round the other side has the first
// place.
static void test_first_side(void **state) {
    (void)state;
    for (uint32_t last = 0; last < 2; ++last) {
        struct err err = {0};
        struct work_case wanted = {.distribution = "normal", .memory_layout = MEMORY_LAYOUT_DENSE};
        struct work_order order = {.side_count = 2, .is_first_side_flipped = last == 1};
        struct work work = {.order = &order, .device = device, .is_apart = true};
        struct case_buffers buffers;
        assert_int_equal(
            problem_parse(&operators_compiled, "attention/fp32/b1/h2/s33/d64", &wanted.problem, &err), 0);
        struct case_run *run = case_run_new(&work, &wanted, 0);
        assert_int_equal(case_run_init_buffers(&work, run, &buffers, &err), 0);
        const void *first = case_buffers_own_output(&buffers, 0)->data;
        assert_int_equal(buffers.side, last);
        assert_int_equal(case_buffers_select(&buffers, 1 - last, &err), 0);
        assert_ptr_not_equal(case_buffers_own_output(&buffers, 0)->data, first);
        assert_int_equal(case_buffers_select(&buffers, last, &err), 0);
        assert_ptr_equal(case_buffers_own_output(&buffers, 0)->data, first);
        case_buffers_fini(&buffers);
        case_run_free(run, &work);
    }
}

static void test_references(void **state) {
    (void)state;
    char dir[] = "/tmp/assay_reference_XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct err err = {0};
    struct case_buffers *dense = filled("attention/fp32/b1/h2/s33/d64", MEMORY_LAYOUT_DENSE, 1);
    struct case_buffers *padded = filled("attention/fp32/b1/h2/s33/d64", MEMORY_LAYOUT_PADDED, 1);
    struct case_buffers *other = filled("attention/fp32/b1/h2/s33/d64", MEMORY_LAYOUT_DENSE, 2);
    struct reference first, again;
    assert_int_equal(reference_open(&first, dense, dir, &err), 0);
    assert_false(first.is_loaded);
    assert_true(first.same_precision[0].row_count > 0);
    assert_int_equal(reference_open(&again, padded, dir, &err),
                     0); // where tensors lie has no part in what is right
    assert_true(again.is_loaded);
    assert_memory_equal(again.outputs[0], first.outputs[0], first.element_count[0] * sizeof(double));
    assert_memory_equal(again.same_precision, first.same_precision, sizeof first.same_precision);
    reference_close(&again);
    assert_int_equal(reference_open(&again, other, dir, &err), 0);
    assert_false(again.is_loaded);
    reference_close(&again);

    char *path = reference_path(dir, &dense->problem, "normal", 1), *bytes = NULL;
    size_t length;
    assert_int_equal(file_read(path, 1 << 20, &bytes, &length, &err), 0);
    for (size_t i = 0; i < 40; ++i) { // a byte changed, or the end missing: computed again, and right again
        char *copy = mem_alloc(length);
        memcpy(copy, bytes, length);
        copy[(length - 1) * i / 39] ^= 4;
        assert_int_equal(file_write_atomic(path, copy, i % 4 == 3 ? length * i / 40 : length, &err), 0);
        assert_int_equal(reference_open(&again, dense, dir, &err), 0);
        const size_t at = (length - 1) * i / 39;
        if (again.is_loaded) fail_msg("a reference with byte %zu changed was believed", at);
        assert_memory_equal(again.outputs[0], first.outputs[0], first.element_count[0] * sizeof(double));
        reference_close(&again);
        free(copy);
    }
    assert_int_equal(reference_open(&again, dense, "/nowhere/at/all", &err), 0); // kept nowhere: no error
    reference_close(&again);
    reference_close(&first);
    free(path);
    free(bytes);
    release(dense);
    release(padded);
    release(other);
    file_remove_tree(dir, NULL);
}

static int find_changed(struct case_buffers *buffers) {
    struct tensor_hashes hashes;
    assert_int_equal(buffers->checker->hash(&buffers, 1, HASHED_INPUTS, &hashes, NULL), 0);
    uint32_t changed;
    return case_buffers_find_changed_input(buffers, &hashes, &changed) ? (int)changed : -1;
}

static void test_rotated_case(void **state) {
    (void)state;
    struct case_buffers *buffers = filled("attention/fp16/b1/h2/hkv1/sq5/sk33/d64", MEMORY_LAYOUT_PADDED, 3);
    char first[HASH_HEX_BYTES];
    memcpy(first, buffers->input_hash[1], sizeof first);
    assert_int_equal(find_changed(buffers), -1);
    assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
    assert_true(memcmp(first, buffers->input_hash[1], sizeof first) != 0);
    assert_int_equal(find_changed(buffers), -1);
    assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
    assert_memory_equal(first, buffers->input_hash[1], sizeof first);
    int64_t coord[ASSAY_MAX_DIMS];
    const int64_t where[] = {0, 0, 32, 63};
    unsigned char *k = buffers->host[1].data;
    k[(size_t)tensor_offset(&buffers->host[1], where) * 2] ^= 1;
    assert_int_equal(find_changed(buffers), 1);
    assert_int_equal(buffers->checker->locate_change(buffers, 1, coord, NULL), 0);
    assert_memory_equal(coord, where, sizeof where);
    release(buffers);
}

// However few rows there are, all inputs change.
static void test_rotated_few_rows(void **state) {
    (void)state;
    const char *const names[] = {"attention/fp32/b1/h1/sq1/sk1/d32", "attention/fp32/b1/h1/sq2/sk2/d32",
                                 "attention/fp16/b1/h1/sq1/sk3/d64"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        struct case_buffers *buffers = filled(names[i], MEMORY_LAYOUT_DENSE, 3);
        char before[OP_TENSORS_MAX][HASH_HEX_BYTES];
        memcpy(before, buffers->input_hash, buffers->input_count * sizeof *before);
        assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
        for (uint32_t k = 0; k < buffers->input_count; ++k)
            assert_memory_not_equal(before[k], buffers->input_hash[k], HASH_HEX_BYTES);
        assert_int_equal(buffers->checker->rotate(buffers, NULL), 0);
        for (uint32_t k = 0; k < buffers->input_count; ++k)
            assert_memory_equal(before[k], buffers->input_hash[k], HASH_HEX_BYTES);
        release(buffers);
    }
}

static void test_two_x_rule(void **state) {
    (void)state;
    const struct reference_same_precision plain = {.max_abs = 1e-3, .rms = 1e-4, .row_count = 10};
    struct reference_same_precision kernel = {.max_abs = 1.9e-3, .rms = 1.9e-4, .row_count = 10}, limit;
    assert_true(same_precision_passes(&kernel, &plain, ASSAY_FP32, 1.0, &limit));
    kernel.max_abs = 2.1e-3;
    assert_false(same_precision_passes(&kernel, &plain, ASSAY_FP32, 1.0, &limit));
    kernel = (struct reference_same_precision){.max_abs = 1e-3, .rms = 2.1e-4};
    assert_false(same_precision_passes(&kernel, &plain, ASSAY_FP32, 1.0, &limit));
    kernel.rms = NAN;
    assert_false(same_precision_passes(&kernel, &plain, ASSAY_FP32, 1.0, &limit));
    const struct reference_same_precision zero = {0};
    assert_true(same_precision_passes(&zero, &zero, ASSAY_FP32, 0.0, &limit)); // 0/0
    // 2 ulp of fp16 above 1 are 1.953e-3; one rounding's error is 0.29 ulp, 2.8e-4 there.
    const struct reference_same_precision exact = {.ref_rms = 1.2};
    kernel = (struct reference_same_precision){.max_abs = 1.95e-3, .rms = 2.7e-4};
    assert_true(same_precision_passes(&kernel, &exact, ASSAY_FP16, 1.5, &limit));
    kernel.rms = 2.9e-4;
    assert_false(same_precision_passes(&kernel, &exact, ASSAY_FP16, 1.5, &limit));
    kernel = (struct reference_same_precision){.max_abs = 1.96e-3, .rms = 2.7e-4};
    assert_false(same_precision_passes(&kernel, &exact, ASSAY_FP16, 1.5, &limit));
    // In fp32 every operation rounds: 2 ulp of the largest element, 2.4e-7.
    kernel = (struct reference_same_precision){.max_abs = 2e-7, .rms = 2e-7};
    assert_true(same_precision_passes(&kernel, &exact, ASSAY_FP32, 1.5, &limit));
}

// Half of fp16's precision: a kernel that rounds its results to eight bits. Two units of the largest element
// would let that pass in the mean.
static void test_two_x_half_precision(void **state) {
    (void)state;
    struct case_buffers *buffers = filled("attention/fp16/b1/h1/s512/d64", MEMORY_LAYOUT_DENSE, 4);
    struct reference reference;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    const struct reference_same_precision *plain = &reference.same_precision[0];
    const double max_ref = precision_max_ref(&reference, 0);
    uint16_t *out = buffers->host[3].data;
    for (int bits = 8; bits <= 11; bits += 3) {
        for (uint64_t i = 0; i < reference.element_count[0]; ++i)
            dtype_store(ASSAY_FP16, &out[i], mutant_round(reference.outputs[0][i], bits));
        struct reference_same_precision sampled[OP_TENSORS_MAX], limit;
        same_precision_sample(buffers, &reference, sampled);
        assert_int_equal(same_precision_passes(&sampled[0], plain, ASSAY_FP16, max_ref, &limit), bits == 11);
        const struct op_tolerance elements = case_buffers_tolerance(buffers, 0);
        struct tensor_verdict verdict;
        tensor_compare(&buffers->host[3], reference.outputs[0], &elements, POISON_OUTPUT, device->host_stream,
                       &verdict);
        assert_true(verdict.is_passed); // only the 2 x rule can tell
    }
    reference_close(&reference);
    release(buffers);
}

static void test_slices(void **state) {
    (void)state;
    struct case_buffers *buffers = filled("attention/fp32/b2/h2/s17/d16/causal", MEMORY_LAYOUT_DENSE, 4);
    struct reference reference;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    float *out = buffers->host[3].data;
    for (uint64_t i = 0; i < reference.element_count[0]; ++i) out[i] = (float)reference.outputs[0][i];
    struct slice_failure failure;
    assert_int_equal(slices_check(buffers, &(struct rows_wanted){.row_max = 1000, .seed = 7}, &failure, NULL),
                     0);
    out[reference.element_count[0] - 1] += 1; // the last row is always among them
    assert_int_equal(slices_check(buffers, &(struct rows_wanted){.row_max = 1, .seed = 7}, &failure, NULL),
                     1);
    assert_int_equal(failure.coord[2], 16);
    struct reference_same_precision sampled[OP_TENSORS_MAX];
    same_precision_sample(buffers, &reference, sampled);
    assert_true(fabs(sampled[0].max_abs - 1) < 1e-6);
    reference_close(&reference);
    release(buffers);
}

// Rows of a type with a share that may fail: a weight that was rounded is wrong in a whole row, results for
// other inputs are wrong by more.
static void test_rows_of_fp8(void **state) {
    (void)state;
    const char *name = "attention/fp8_e4m3/b1/h2/sq8/sk512/d64";
    struct case_buffers *buffers = filled(name, MEMORY_LAYOUT_DENSE, 4);
    const struct op_tolerance own = case_buffers_tolerance(buffers, 0);
    assert_true(tolerance_rows_pass(&own, 64, 64, 0.06 * 0.06, 1));
    assert_false(tolerance_rows_pass(&own, 64, 64, 0.3 * 0.3, 1));
    assert_false(tolerance_rows_pass(&own, 2, 64, NAN, 1));
    const struct op_tolerance some = {.min_pass_fraction = 0.9, .rel_l2_max = INFINITY};
    assert_true(tolerance_rows_pass(&some, 7, 64, INFINITY, 1));
    assert_false(tolerance_rows_pass(&some, 8, 64, 0, 1));
    struct case_buffers *others = filled(name, MEMORY_LAYOUT_DENSE, 5);
    struct reference reference;
    struct slice_failure failure;
    const struct rows_wanted rows = {.row_max = 1000, .seed = 7};
    for (int is_stale = 0; is_stale < 2; ++is_stale) {
        assert_int_equal(reference_open(&reference, is_stale ? others : buffers, NULL, NULL), 0);
        const struct assay_tensor *out = case_buffers_host_output(buffers, 0);
        for (uint64_t i = 0; i < reference.element_count[0]; ++i)
            dtype_store(out->dtype, (char *)out->data + i * dtype_bytes(out->dtype),
                        1.03 * reference.outputs[0][i]);
        assert_int_equal(slices_check(buffers, &rows, &failure, NULL), is_stale);
        reference_close(&reference);
    }
    release(others);
    release(buffers);
}

// Just inside and just outside of what is called rounding.
static void test_rounding(void **state) {
    (void)state;
    struct case_buffers *buffers = filled("attention/fp16/b1/h1/s8/d16", MEMORY_LAYOUT_DENSE, 4);
    const struct op_tolerance own = case_buffers_tolerance(buffers, 0);
    const double most = ROUNDING_TIMES * (own.atol + 2 * own.rtol);
    struct slice_failure failure = {.expected = -2, .got = -2 + 0.999 * most};
    assert_true(slice_failure_is_rounding(buffers, &failure));
    failure.got = -2 + 1.001 * most;
    assert_false(slice_failure_is_rounding(buffers, &failure));
    failure.got = NAN;
    assert_false(slice_failure_is_rounding(buffers, &failure));
    release(buffers);
}

// Of results that are stale some are near to right ones by chance, and the first that fails may be.
static void test_worst_of_rows(void **state) {
    (void)state;
    struct case_buffers *buffers = filled("attention/fp32/b1/h1/s8/d16", MEMORY_LAYOUT_DENSE, 4);
    const struct op_tolerance own = case_buffers_tolerance(buffers, 0);
    struct reference reference;
    struct slice_failure failure;
    assert_int_equal(reference_open(&reference, buffers, NULL, NULL), 0);
    float *out = case_buffers_host_output(buffers, 0)->data;
    for (uint64_t i = 0; i < reference.element_count[0]; ++i) out[i] = (float)reference.outputs[0][i];
    const double limit = own.atol + own.rtol * fabs(reference.outputs[0][7 * 16 + 2]);
    const struct rows_wanted rows = {.row_max = 1000, .seed = 7};
    out[7 * 16 + 2] += (float)(2 * limit);
    assert_int_equal(slices_check(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_true(slice_failure_is_rounding(buffers, &failure));
    out[7 * 16 + 5] += 1;
    assert_int_equal(slices_check(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_int_equal(failure.coord[3], 5);
    assert_false(slice_failure_is_rounding(buffers, &failure));
    out[7 * 16 + 5] = NAN;
    assert_int_equal(slices_check(buffers, &rows, &failure, NULL), CHECK_FOUND);
    assert_false(slice_failure_is_rounding(buffers, &failure));
    reference_close(&reference);
    release(buffers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_isnan_works),     cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_figures),         cmocka_unit_test(test_kinds_of_wrong),
        cmocka_unit_test(test_few_may_fail),    cmocka_unit_test(test_own_tolerance),
        cmocka_unit_test(test_poison_and_gaps), cmocka_unit_test(test_coordinates),
        cmocka_unit_test(test_rotate),          cmocka_unit_test(test_references),
        cmocka_unit_test(test_sets_a_sample),   cmocka_unit_test(test_first_side),
        cmocka_unit_test(test_rotated_case),    cmocka_unit_test(test_rotated_few_rows),
        cmocka_unit_test(test_two_x_rule),      cmocka_unit_test(test_two_x_half_precision),
        cmocka_unit_test(test_slices),          cmocka_unit_test(test_rows_of_fp8),
        cmocka_unit_test(test_rounding),        cmocka_unit_test(test_worst_of_rows),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
