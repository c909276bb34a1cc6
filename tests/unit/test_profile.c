// SPDX-License-Identifier: Apache-2.0
//
// Reports of Nsight Compute: recorded ones (an H200, Nsight Compute 2025.3.1), and torn and hostile ones;
// every branch of the classification, with the example of the specification.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "profile/profile_text.h"

static struct arena arena;

static int parsed(const char *text, struct nsight_report *ret, struct err *err) {
    return nsight_csv_parse(text, "r.csv", &arena, ret, err);
}

static struct profile recorded(const char *name) {
    char *path = arena_format(&arena, "%s/nsight/%s", ASSAY_GOLDEN_DIR, name), *text = NULL;
    struct nsight_report report;
    struct err err = {0};
    size_t length = 0;
    if (file_read(path, 1 << 20, &text, &length, &err) < 0) fail_msg("%s", err.text);
    if (parsed(text, &report, &err) < 0) fail_msg("%s", err.text);
    free(text);
    assert_int_equal(report.launch_count, 1);
    return profile_from_nsight(&report.launches[0]);
}

static void near(double got, double wanted) {
    if (!(fabs(got - wanted) <= 1e-6 * fabs(wanted))) fail_msg("%.9g instead of %.9g", got, wanted);
}

static void test_raw(void **state) {
    (void)state;
    const struct profile p = recorded("sm90_s512.raw.csv");
    assert_string_equal(p.kernel,
                        "void fa_hopper_kernel<__half, fa_hopper_traits<64, 4, 64, 0>>(fa_hopper_problem)");
    assert_string_equal(p.block, "(640, 1, 1)");
    near(p.duration_ns, 37632);
    near(p.tensor_pct, 56.32);
    near(p.dram_pct, 39.12);
    near(p.dram_bytes, 50396416 + 20401664);
    near(p.dram_gb_per_s, 1881.32653061224);
    near(p.l2_hit_pct, 41.5);
    near(p.registers, 96);
    near(p.shared_bytes, 199680);
    near(p.bank_conflict_pct, 100 * 5444.0 / 3466106);
    assert_string_equal(p.stall, "wait");
    near(p.stall_pct, 100 * 2.17 / 7.65);
    assert_true(p.stall_sum_pct > 95 && p.stall_sum_pct < 105);
    assert_true(p.local_pct == 0 && isnan(p.bytes_per_sector_pct));
    const struct diagnosis d = profile_diagnose(&p, &arena);
    assert_int_equal(d.bottleneck, BOTTLENECK_COMPUTE);
}

static void test_details(void **state) {
    (void)state;
    const struct profile p = recorded("sm80_mission.details.csv");
    near(p.duration_ns, 12510); // "12.51","us"
    near(p.sm_clock_hz, 1.81e9);
    near(p.shared_bytes, 49150);
    near(p.sm_pct, 8.23);
    near(p.waves, 0.12);
    assert_true(isnan(p.tensor_pct)); // the details page does not have it
    assert_int_equal(profile_diagnose(&p, &arena).bottleneck, BOTTLENECK_SMALL_GRID);
}

static void test_others(void **state) {
    (void)state;
    struct profile p = recorded("sm80_s2048.raw.csv");
    assert_int_equal(profile_diagnose(&p, &arena).bottleneck, BOTTLENECK_LATENCY);
    p = recorded("cudnn_s2048.raw.csv");
    assert_int_equal(profile_diagnose(&p, &arena).bottleneck, BOTTLENECK_COMPUTE);
    p = recorded("flash_mission.raw.csv");
    assert_true(profile_diagnose(&p, &arena).is_unreliable);
}

// Numbers as other versions print them, lines of the profiler around the page, quotes and line ends in cells.
static void test_forms(void **state) {
    (void)state;
    static const char text[] =
        "==PROF== Connected to process 1 (/usr/bin/x)\n"
        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
        "Size\",\"dram__bytes.sum\",\"sm__throughput.avg.pct_of_peak_"
        "sustained_elapsed\",\"launch__registers_per_thread\",\"gpu__time_duration.sum\"\r\n"
        "\"\",\"\",\"\",\"\",\"Mbyte\",\"%\",\"\",\"msecond\"\r\n"
        "\"0\",\"k<\"\"a\"\",\n2>\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"1,234.5\",\"n/a\",\"no data\",\"0.5\"\r\n"
        "\"1\",\"k2\",\"(1, 1, 1)\",\"(2, 1, 1)\",\"2\",\"nan\",\"(!) n/a\",\"1e999\"\r\n"
        "==PROF== Disconnected\n";
    struct nsight_report report;
    struct err err = {0};
    if (parsed(text, &report, &err) < 0) fail_msg("%s", err.text);
    assert_int_equal(report.launch_count, 2);
    const struct profile first = profile_from_nsight(&report.launches[0]);
    const struct profile second = profile_from_nsight(&report.launches[1]);
    assert_string_equal(first.kernel, "k<\"a\",\n2>");
    near(first.dram_bytes, 1234.5e6);
    near(first.duration_ns, 5e5);
    assert_true(isnan(first.sm_pct) && isnan(first.registers));
    near(second.dram_bytes, 2e6);
    assert_true(isnan(second.duration_ns) && isnan(second.sm_pct));
    assert_int_equal(profile_diagnose(&first, &arena).bottleneck, BOTTLENECK_UNKNOWN);
}

// Work, bytes and hits of L2, from the names that chips and sets give them.
static void test_work(void **state) {
    (void)state;
    static const char head[] = "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\"",
                      launch[] = "\"0\",\"k\",\"\",\"\"";
    static const struct {
        const char *names, *values;
        double tensor_flop, fma_flop, l2_bytes, l2_hit_pct;
    } cases[] = {
        {"\"lts__t_bytes.sum\",\"lts__t_sectors.sum\"", "\"640\",\"10\"", NAN, NAN, 640, NAN},
        {"\"lts__t_sectors.sum\"", "\"10\"", NAN, NAN, 320, NAN},
        {"\"lts__t_sector_hit_rate.pct\"", "\"110\"", NAN, NAN, NAN, 110},
        {"\"lts__t_sector_hit_rate.pct\",\"lts__t_sectors_lookup_hit.sum\",\"lts__t_sectors_lookup_miss."
         "sum\"",
         "\"110\",\"30\",\"10\"", NAN, NAN, NAN, 75},
        {"\"sm__ops_path_tensor_src_fp16_dst_fp32.sum\",\"sm__ops_path_tensor_src_fp8.sum\"",
         "\"1,000\",\"24\"", 1024, NAN, NAN, NAN},
        {"\"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum\","
         "\"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum\","
         "\"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum\"",
         "\"1\",\"2\",\"4\"", NAN, 11, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nsight_report report;
        struct err err = {0};
        const char *text = arena_format(&arena, "%s,%s\n\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n%s,%s\n", head,
                                        cases[i].names, launch, cases[i].values);
        if (parsed(text, &report, &err) < 0) fail_msg("%s", err.text);
        const struct profile p = profile_from_nsight(&report.launches[0]);
        const double got[] = {p.tensor_flop, p.fma_flop, p.l2_bytes, p.l2_hit_pct};
        const double wanted[] = {cases[i].tensor_flop, cases[i].fma_flop, cases[i].l2_bytes,
                                 cases[i].l2_hit_pct};
        for (size_t k = 0; k < 4; ++k)
            if (isnan(wanted[k]) != isnan(got[k]) || fabs(got[k] - wanted[k]) > 0)
                fail_msg("case %zu, figure %zu: %g", i, k, got[k]);
    }
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "no page of Nsight Compute"},
        {"a,b\n1,2\n", "no page of Nsight Compute"},
        {"\"ID\",\"x\"\n", "no column 'Kernel Name'"},
        {"\"ID\",\"Kernel Name\"\n", "no launch"},
        {"\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\"", "1 values, but there are 2 columns"},
        {"\"ID\",\"Kernel Name\"\n\"\",\"\"\n\"0\",\"torn", NULL}, // the last cell is what is there
        {"==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "only administrators"},
        {"==ERROR== A required driver resource was unavailable", "DCGM"},
        {"==ERROR== Cuda driver is not compatible with Nsight Compute", "newer than the driver"},
        {"==ERROR== LibraryNotLoaded", "sandbox"},
        {"==WARNING== No kernels were profiled.", "matched no kernel"},
        {"==ERROR== Failed to access the following metrics: x", "this chip"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct nsight_report report;
        struct err err = {0};
        const int code = parsed(cases[i].text, &report, &err);
        assert_int_equal(code, cases[i].words ? -ERR_DATA : 0);
        if (cases[i].words && !strstr(err.text, cases[i].words))
            fail_msg("wanted '%s', got '%s'", cases[i].words, err.text);
    }
}

// ---- the classification, branch by branch ----

static struct profile plain(void) {
    struct profile p;
    members_forget(&profile_members, &p);
    p.kernel = p.block = p.grid = "";
    p.duration_ns = 1e5;
    p.waves = 8;
    return p;
}

static void test_classes(void **state) {
    (void)state;
    static const struct {
        double sm, tensor, dram, l2, local, waves, duration_ns;
        enum bottleneck wanted;
    } cases[] = {
        {NAN, NAN, NAN, NAN, NAN, 8, 1e5, BOTTLENECK_UNKNOWN},
        {50, 103, 10, 10, NAN, 8, 1e5, BOTTLENECK_ACCOUNTING_ERROR},
        {50, 178, 90, 10, 50, 8, 1e5, BOTTLENECK_ACCOUNTING_ERROR}, // before everything else
        {50, 60, 90, 10, 11, 8, 1e5, BOTTLENECK_REGISTER_SPILL},
        {50, 60, 90, 10, 10, 8, 1e5, BOTTLENECK_MEMORY}, // at the threshold
        {50, 51, 70, 10, NAN, 8, 1e5, BOTTLENECK_COMPUTE},
        {50, 50, 10, 10, NAN, 8, 1e5, BOTTLENECK_LATENCY},
        {50, NAN, 71, 10, NAN, 8, 1e5, BOTTLENECK_MEMORY},
        {NAN, 30, 10, 10, NAN, 8, 1e5, BOTTLENECK_LATENCY}, // the tensor pipe stands for the SM
        {30, 5, 10, 10, NAN, 0.5, 1e5, BOTTLENECK_SMALL_GRID},
        {30, 5, 10, 10, NAN, 8, 9e3, BOTTLENECK_LAUNCH_OR_LATENCY},
        {30, 5, 10, 10, NAN, NAN, NAN, BOTTLENECK_MIXED},
        {80, 5, 10, 70, NAN, 8, 1e5, BOTTLENECK_COMPUTE},
        {70, 5, 10, 85, NAN, 8, 1e5, BOTTLENECK_MEMORY},
        {75, 5, 10, 60, NAN, 8, 1e5, BOTTLENECK_LEANS_COMPUTE},
        {60, 5, 10, 75, NAN, 8, 1e5, BOTTLENECK_LEANS_MEMORY},
        {65, 5, 10, 70, NAN, 8, 1e5, BOTTLENECK_BALANCED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct profile p = plain();
        p.sm_pct = cases[i].sm;
        p.tensor_pct = cases[i].tensor;
        p.dram_pct = cases[i].dram;
        p.l2_pct = cases[i].l2;
        p.local_pct = cases[i].local;
        p.waves = cases[i].waves;
        p.duration_ns = cases[i].duration_ns;
        const struct diagnosis d = profile_diagnose(&p, &arena);
        if (d.bottleneck != cases[i].wanted)
            fail_msg("case %zu: %s instead of %s (%s)", i, bottleneck_name(d.bottleneck),
                     bottleneck_name(cases[i].wanted), d.because);
        if (d.bottleneck == BOTTLENECK_ACCOUNTING_ERROR) assert_int_equal(d.hypothesis_count, 0);
        if (strstr(d.because, "nan")) fail_msg("case %zu: %s", i, d.because);
    }
}

// Tensor pipe 57 %, DRAM 10 %, L2 hits 72.7 %, occupancy 12 %, 128 threads, 48 KB of shared memory.
static void test_example(void **state) {
    (void)state;
    struct profile p = plain();
    p.tensor_pct = 57;
    p.dram_pct = 10;
    p.l2_hit_pct = 72.7;
    p.occupancy_pct = 12;
    p.block_threads = 128;
    p.shared_bytes = 48 * 1024;
    const struct diagnosis d = profile_diagnose(&p, &arena);
    struct strbuf out = {0};
    assert_int_equal(d.bottleneck, BOTTLENECK_COMPUTE);
    assert_string_equal(d.hypotheses[0].text, "raise tensor pipe activity");
    profile_print(&p, &d, false, &out);
    assert_non_null(strstr(out.text, "1. raise tensor pipe activity, up to 1.40 x"));
    assert_non_null(strstr(out.text, "occupancy 12 % is intended: few warps, 128 threads a block and 48 KB"));
    assert_non_null(strstr(out.text, "memory is not the limit: DRAM 10 % (threshold 70 %), L2 hits 73 %"));
    assert_null(strstr(out.text, "nan"));
    strbuf_fini(&out);
}

static const struct hypothesis *find(const struct diagnosis *d, const char *text) {
    for (size_t i = 0; i < d->hypothesis_count; ++i)
        if (strcmp(d->hypotheses[i].text, text) == 0) return &d->hypotheses[i];
    return NULL;
}

static void test_hypotheses(void **state) {
    (void)state;
    struct profile p = plain();
    p.sm_pct = 50;
    p.dram_pct = 20;
    p.issue_pct = 30;
    p.occupancy_pct = 20;
    p.occupancy_max_pct = 25;
    p.stalls_pct[STALL_BARRIER] = 50;
    p.bytes_per_sector_pct = 25;
    p.bank_conflict_pct = 20;
    p.threads_per_instruction = 16;
    p.local_pct = 0.5;
    p.waves = 1.1;
    const struct diagnosis d = profile_diagnose(&p, &arena);
    near(find(&d, "fewer or cheaper barriers")->gain, 2);
    near(find(&d, "coalesce global loads")->gain, 4);
    near(find(&d, "avoid bank conflicts")->gain, 1.25);
    near(find(&d, "let all threads of a warp take part")->gain, 2);
    near(find(&d, "fill the last wave of blocks")->gain, 1 / 0.55);
    assert_true(isnan(find(&d, "keep values in registers")->gain));
    assert_non_null(find(&d, "more warps at once"));
    for (size_t i = 1; i < d.hypothesis_count; ++i)
        assert_false(d.hypotheses[i].gain > d.hypotheses[i - 1].gain ||
                     (isnan(d.hypotheses[i - 1].gain) && isfinite(d.hypotheses[i].gain)));
    p.issue_pct = 85; // busy: stalls do not matter
    const struct diagnosis busy = profile_diagnose(&p, &arena);
    assert_null(find(&busy, "fewer or cheaper barriers"));
}

// Every reason to wait has its advice, and its share bounds the gain; at the threshold there is none.
static void test_stalls(void **state) {
    (void)state;
    static const enum profile_stall reasons[] = {
        STALL_LONG_SCOREBOARD, STALL_SHORT_SCOREBOARD, STALL_MIO_THROTTLE,   STALL_LG_THROTTLE,
        STALL_BARRIER,         STALL_MEMBAR,           STALL_WAIT,           STALL_GMMA,
        STALL_IMC_MISS,        STALL_SLEEPING,         STALL_NO_INSTRUCTION, STALL_MATH_PIPE_THROTTLE,
        STALL_BRANCH_RESOLVING};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i) {
        struct profile p = plain();
        p.sm_pct = 50;
        p.dram_pct = 20;
        p.stalls_pct[reasons[i]] = 60;
        struct diagnosis d = profile_diagnose(&p, &arena);
        assert_int_equal(d.hypothesis_count, 1);
        near(d.hypotheses[0].gain, 2.5);
        assert_non_null(strstr(d.hypotheses[0].metric, "60 % of the latency (threshold 30 %)"));
        p.stalls_pct[reasons[i]] = 30;
        assert_int_equal(profile_diagnose(&p, &arena).hypothesis_count, 0);
    }
    struct profile p = plain();
    p.sm_pct = 50;
    p.dram_pct = 20;
    p.stalls_pct[STALL_BARRIER] = 35;
    p.stalls_pct[STALL_WAIT] = 40;
    const struct diagnosis both = profile_diagnose(&p, &arena);
    assert_int_equal(both.hypothesis_count, 2);
    assert_non_null(strstr(both.hypotheses[0].metric, "wait 40 %"));
    assert_non_null(strstr(both.hypotheses[1].metric, "barrier 35 %"));
}

static bool has_note(const struct diagnosis *d, const char *words) {
    for (size_t i = 0; i < d->note_count; ++i)
        if (strstr(d->notes[i], words)) return true;
    return false;
}

// What is suggested or said only where its condition holds, each on both sides of its threshold.
static void test_conditions(void **state) {
    (void)state;
    struct profile p = plain();
    p.sm_pct = 70;
    p.tensor_pct = 9;
    p.dram_pct = 75;
    p.l2_hit_pct = 40;
    struct diagnosis d = profile_diagnose(&p, &arena);
    near(find(&d, "move fewer bytes from DRAM")->gain, 75.0 / 70);
    assert_non_null(find(&d, "use matrix instructions, where it multiplies matrices"));
    p.tensor_pct = 10;
    p.dram_pct = 40;
    p.l2_pct = 85;
    d = profile_diagnose(&p, &arena);
    assert_null(find(&d, "use matrix instructions, where it multiplies matrices"));
    near(find(&d, "move fewer bytes from L2")->gain, 85.0 / 60);
    p = plain();
    p.l2_hit_pct = 104;
    d = profile_diagnose(&p, &arena);
    assert_true(d.bottleneck != BOTTLENECK_ACCOUNTING_ERROR);
    assert_non_null(strstr(d.notes[d.note_count - 1], "passes over the counters found different caches"));
    p = plain();
    p.tensor_pct = 79;
    p.dram_pct = 10;
    p.occupancy_pct = 40; // not few warps
    p.stall_sum_pct = 89;
    d = profile_diagnose(&p, &arena);
    near(find(&d, "raise tensor pipe activity")->gain, 80.0 / 79);
    assert_false(has_note(&d, "is intended"));
    assert_true(has_note(&d, "reasons of stalls are incomplete: 89 % of the latency (threshold 90 %)"));
    p.tensor_pct = 81;
    p.stall_sum_pct = 90;
    p.duration_ns = 4999;
    d = profile_diagnose(&p, &arena);
    assert_null(find(&d, "raise tensor pipe activity"));
    assert_false(has_note(&d, "incomplete"));
    assert_true(d.is_unreliable && has_note(&d, "shorter than 5 us"));
    p = plain();
    p.sm_pct = 20;
    p.dram_pct = 20;
    p.waves = 0.25;
    p.occupancy_pct = p.occupancy_max_pct = 25;
    p.issue_pct = 30;
    d = profile_diagnose(&p, &arena);
    near(find(&d, "more blocks")->gain, 4);
    assert_null(find(&d, "more warps at once")); // a small grid comes first
    p.waves = 8.9;                               // the last wave idles for 1 % of the time
    d = profile_diagnose(&p, &arena);
    assert_null(find(&d, "fill the last wave of blocks"));
    assert_non_null(find(&d, "more warps at once"));
    p.issue_pct = 60;
    d = profile_diagnose(&p, &arena);
    assert_null(find(&d, "more warps at once"));
    p.issue_pct = 30; // warps that wait for wgmma, three warpgroups a block: roles of their own
    p.stalls_pct[STALL_GMMA] = 1;
    p.block_threads = 256;
    d = profile_diagnose(&p, &arena);
    assert_non_null(find(&d, "more warps at once"));
    p.block_threads = 384;
    d = profile_diagnose(&p, &arena);
    assert_null(find(&d, "more warps at once"));
    assert_true(has_note(&d, "384 threads a block that wait for wgmma: warpgroups with roles of their own"));
    p.clock_spread_pct = 10;
    assert_false(profile_diagnose(&p, &arena).is_unreliable);
    p.clock_spread_pct = 10.5;
    d = profile_diagnose(&p, &arena);
    assert_true(d.is_unreliable &&
                has_note(&d, "the clock differed by 10.5 % between passes (threshold 10 %)"));
    p.local_pct = 20; // spills bound the gain
    d = profile_diagnose(&p, &arena);
    near(find(&d, "keep values in registers")->gain, 1.25);
    p.local_pct = 0;
    p.sm_pct = 103;
    d = profile_diagnose(&p, &arena);
    assert_non_null(strstr(d.because, "SM throughput is 103.0 %, more than all (threshold 102 %)"));
}

static int teardown(void **state) {
    (void)state;
    arena_fini(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw),     cmocka_unit_test(test_details),    cmocka_unit_test(test_others),
        cmocka_unit_test(test_forms),   cmocka_unit_test(test_refused),    cmocka_unit_test(test_classes),
        cmocka_unit_test(test_example), cmocka_unit_test(test_hypotheses), cmocka_unit_test(test_work),
        cmocka_unit_test(test_stalls),  cmocka_unit_test(test_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
