// SPDX-License-Identifier: Apache-2.0
//
// The sets of metrics against CUPTI's host library, which needs no GPU: which chip has which, and the passes.
// And how many blocks a multiprocessor holds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "profile/profile_sets.h"
#include "worker/backend/cuda/cuda_device_internal.h"
#include "worker/backend/cuda/cupti.h"

static const struct {
    const char *chip;    // as CUPTI calls it
    const char *unknown; // of the standard set
    size_t passes_max;   // of the standard set
} chips[] = {
    {"GA100", "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio", 20},
    {"GA102",
     "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum, "
     "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
     20},
    {"AD102",
     "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum, "
     "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio",
     20},
    {"GH100", "", 20},
    {"GB100",
     "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum, "
     "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio, "
     "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
     24},
    {"GB202",
     "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum, "
     "smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio, "
     "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio",
     24},
};

static size_t passes_of(const struct cupti *cupti, const char *chip, enum profile_set set,
                        struct strbuf *unknown) {
    struct cupti_metrics metrics = {0};
    struct err err = {0};
    size_t count = 0;
    const char *const *names = profile_set_of_gpu(set, &count);
    const struct cupti_metrics_request request = {.chip = chip, .name_count = count, .names = names};
    if (cupti_metrics_open(cupti, &request, &metrics, unknown, &err) < 0) fail_msg("%s: %s", chip, err.text);
    const size_t passes = metrics.pass_count;
    cupti_metrics_close(&metrics);
    return passes;
}

// CUPTI loads a library of its own in a way that the address sanitizer refuses (RTLD_DEEPBIND).
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define HAS_ADDRESS_SANITIZER 0
#endif

static const struct cupti *library(void) {
    const struct cupti *cupti = NULL;
    struct err err = {0};
    if (HAS_ADDRESS_SANITIZER) skip();
    if (cupti_get(&cupti, &err) < 0) {
        print_message("%s\n", err.text);
        skip();
    }
    return cupti;
}

static void every_chip_has_the_quick_set_in_one_pass(void **state) {
    (void)state;
    const struct cupti *cupti = library();
    for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i) {
        struct strbuf unknown = {0};
        assert_int_equal(passes_of(cupti, chips[i].chip, PROFILE_SET_QUICK, &unknown), 1);
        assert_string_equal(strbuf_text(&unknown), "");
        strbuf_fini(&unknown);
    }
}

static void chips_lack_few_of_the_standard_set(void **state) {
    (void)state;
    const struct cupti *cupti = library();
    for (size_t i = 0; i < sizeof chips / sizeof *chips; ++i) {
        struct strbuf unknown = {0};
        const size_t passes = passes_of(cupti, chips[i].chip, PROFILE_SET_STANDARD, &unknown);
        print_message("%s: %zu passes, lacks %s\n", chips[i].chip, passes, strbuf_text(&unknown));
        assert_string_equal(strbuf_text(&unknown), chips[i].unknown);
        assert_true(passes > 1 && passes <= chips[i].passes_max);
        strbuf_fini(&unknown);
    }
}

static void a_chip_that_is_not_known_is_refused(void **state) {
    (void)state;
    const struct cupti *cupti = library();
    const char *const names[] = {"dram__bytes.sum"};
    const struct cupti_metrics_request request = {.chip = "XY100", .name_count = 1, .names = names};
    struct cupti_metrics metrics = {0};
    struct strbuf unknown = {0};
    struct err err = {0};
    assert_int_equal(cupti_metrics_open(cupti, &request, &metrics, &unknown, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "the metrics of this GPU's chip are not known"));
}

static void no_known_name_is_an_error(void **state) {
    (void)state;
    const struct cupti *cupti = library();
    const char *const names[] = {"dram__bytes.nonsense"};
    const struct cupti_metrics_request request = {.chip = "GH100", .name_count = 1, .names = names};
    struct cupti_metrics metrics = {0};
    struct strbuf unknown = {0};
    struct err err = {0};
    assert_int_equal(cupti_metrics_open(cupti, &request, &metrics, &unknown, &err), -ERR_UNAVAILABLE);
    assert_string_equal(strbuf_text(&unknown), "dram__bytes.nonsense");
    strbuf_fini(&unknown);
}

// Compute capability 9.0, from the CUDA programming guide's table of technical specifications.
static const struct cuda_sm_limits hopper = {
    .threads = 2048, .blocks = 32, .registers = 65536, .shared_bytes = 233472, .reserved_shared_bytes = 1024};

static void blocks_are_limited_by_each_resource(void **state) {
    (void)state;
    const struct {
        struct cuda_block block;
        uint32_t blocks;
    } cases[] = {
        {{.threads = 1024, .registers = 32}, 2},                            // threads
        {{.threads = 32, .registers = 16}, 32},                             // blocks
        {{.threads = 128, .registers = 255}, 2},                            // registers: Nsight says 12.5 %
        {{.threads = 128, .registers = 32, .shared_bytes = 49152}, 4},      // shared memory
        {{.threads = 640, .registers = 96, .shared_bytes = 198 * 1024}, 1}, // our own fa_sm90
        {{.threads = 33, .registers = 16}, 32},                             // a part of a warp counts whole
        {{.threads = 128, .registers = 32, .shared_bytes = 233472}, 0},     // fits nowhere
    };
    uint32_t blocks_by[CUDA_OCCUPANCY_COUNT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        cuda_occupancy(&hopper, &cases[i].block, blocks_by);
        assert_int_equal(cuda_blocks_per_sm(blocks_by), cases[i].blocks);
    }
    const struct cuda_sm_limits unknown = {0};
    cuda_occupancy(&unknown, &cases[0].block, blocks_by);
    assert_int_equal(cuda_blocks_per_sm(blocks_by), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chip_has_the_quick_set_in_one_pass),
        cmocka_unit_test(chips_lack_few_of_the_standard_set),
        cmocka_unit_test(a_chip_that_is_not_known_is_refused),
        cmocka_unit_test(no_known_name_is_an_error),
        cmocka_unit_test(blocks_are_limited_by_each_resource),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
