// SPDX-License-Identifier: Apache-2.0
//
// Simulated devices and kernels of a manifest: what a whole one says, where each mistake is placed; the
// shipped ones.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/sim_shipped.h"
#include "unit/made_manifest.h"

static const char whole[] =
    "version: 1\n"
    "devices:\n"
    "  \"sim:mine\":\n"
    "    summary: as our machine\n"
    "    seed: 7\n"
    "    clock_mhz: 1980\n"
    "    power_w: 500\n"
    "    noise: {cv_pct: 1, ar1: -0.5, tail_pct: 50, tail_share_pct: 5, mode_slower_pct: 8, mode_share_pct: "
    "40,\n"
    "            mode_dwell_ms: 20, is_mode_a_clock: true, process_pct: 2, round_pct: 0.5, drift_pct_per_s: "
    "2}\n"
    "    episodes:\n"
    "      - {from_round: 2, to_round: 3, attempt_count: 1, throttle: \"hw_thermal_slowdown,sw_power_cap\",\n"
    "         slower_pct: 30, temperature_c: 92, others_pct: 12, other_process_count: 1}\n"
    "      - {others_pct: 3}\n"
    "  sim:quiet: {}\n"
    "kernels:\n"
    "  a: {operator: scale, backend: sim, sim: {}}\n"
    "  b: {operator: scale, sim: {base_us: 20, slower_pct: -5, slower_on: scale/fp32/n128/a2, cv_pct: 3,\n"
    "      unsupported_on: scale/fp32/n64,\n"
    "      crash_at_launch: 4, hang_at_launch: 5, stamps_pct: 50, skips_work_at_launch: 6,\n"
    "      writes_inputs_at_launch: 7, ends_at_launch: 8, answers_nonsense_at_launch: 9}}\n"
    "gate: {candidate: b, baseline: sim_slower5}\n";

static void test_whole(void **state) {
    (void)state;
    struct manifest m;
    if (made_manifest_parse(whole, &m) < 0) fail_msg("%s", made_manifest_error.text);
    assert_int_equal(m.sim_device_count, 2);
    const struct sim_device *device = &m.sim_devices[0];
    assert_string_equal(device->name, "sim:mine");
    assert_string_equal(device->summary, "as our machine");
    assert_int_equal(device->seed, 7);
    assert_true(device->clock_mhz == 1980 && device->temperature_c == 50 && device->power_w == 500);
    const struct sim_noise *noise = &device->noise;
    assert_true(noise->cv_pct == 1 && noise->ar1 == -0.5 && noise->tail_pct == 50);
    assert_true(noise->tail_share_pct == 5 && noise->mode_slower_pct == 8 && noise->mode_share_pct == 40);
    assert_true(noise->mode_dwell_ms == 20 && noise->is_mode_a_clock && noise->process_pct == 2);
    assert_true(noise->round_pct == 0.5 && noise->drift_pct_per_s == 2);
    assert_int_equal(device->episode_count, 2);
    const struct sim_episode *episode = &device->episodes[0];
    assert_int_equal(episode->from_round, 2);
    assert_int_equal(episode->to_round, 3);
    assert_int_equal(episode->attempt_count, 1);
    assert_string_equal(episode->throttle, "hw_thermal_slowdown,sw_power_cap");
    assert_true(episode->slower_pct == 30 && episode->temperature_c == 92 && episode->others_pct == 12);
    assert_int_equal(episode->other_process_count, 1);
    assert_int_equal(device->episodes[1].from_round, 0); // left out: every round, nothing but what is said
    assert_int_equal(device->episodes[1].to_round, UINT32_MAX);
    assert_null(device->episodes[1].throttle);
    assert_true(isnan(device->episodes[1].temperature_c));
    assert_true(m.sim_devices[1].noise.cv_pct == 0 && m.sim_devices[1].clock_mhz == 1500);
    assert_string_equal(m.kernels[0].sim->name, "a");
    assert_true(m.kernels[0].sim->base_us == 100 && isnan(m.kernels[0].sim->cv_pct));
    const struct sim_kernel *kernel = m.kernels[1].sim;
    assert_string_equal(m.kernels[1].backend, "sim");
    assert_true(kernel->base_us == 20 && kernel->slower_pct == -5 && kernel->cv_pct == 3);
    assert_string_equal(kernel->slower_on, "scale/fp32/n128"); // as the problem is named
    assert_string_equal(kernel->unsupported_on, "scale/fp32/n64");
    assert_int_equal(kernel->crash_at_launch, 4);
    assert_int_equal(kernel->hang_at_launch, 5);
    assert_true(kernel->stamps_pct == 50 && isnan(m.kernels[0].sim->stamps_pct));
    assert_int_equal(kernel->skips_work_at_launch, 6);
    assert_int_equal(kernel->writes_inputs_at_launch, 7);
    assert_int_equal(kernel->ends_at_launch, 8);
    assert_int_equal(kernel->answers_nonsense_at_launch, 9);
    manifest_fini(&m);
}

static void test_devices(void **state) {
    (void)state;
#define DEVICE(rest) "version: 1\ndevices: {\"sim:x\": {" rest "}}\n"
    made_manifest_refuse(
        "version: 1\ndevices: {mine: {}}\n",
        "assay.yaml:2:11: devices.mine: a device of a manifest is a simulated one: its name is 'sim:'");
    made_manifest_refuse("version: 1\ndevices: {\"sim:\": {}}\n",
                         "assay.yaml:2:11: devices.sim:: a device of a");
    made_manifest_refuse("version: 1\ndevices: {\"sim:a/b\": {}}\n",
                         "assay.yaml:2:11: devices.sim:a/b: a device of a");
    made_manifest_refuse(
        "version: 1\ndevices: {\"sim:a-name-of-more-than-the-bytes-there-are\": {}}\n",
        "assay.yaml:2:11: devices.sim:a-name-of-more-than-the-bytes-there-are: key 'name' is");
    made_manifest_refuse("version: 1\ndevices: [a]\n",
                         "assay.yaml:2:10: devices: must be a mapping, not a list");
    made_manifest_refuse(DEVICE("nois: {}"),
                         "assay.yaml:2:21: devices.sim:x.nois: unknown key, did you mean 'noise'?");
    made_manifest_refuse(DEVICE("noise: {cv: 1}"), "assay.yaml:2:29: devices.sim:x.noise.cv: unknown key");
    made_manifest_refuse(DEVICE("noise: {ar1: 1}"),
                         "assay.yaml:2:34: devices.sim:x.noise.ar1: must lie between -0.999");
    made_manifest_refuse(DEVICE("noise: {is_mode_a_clock: 1}"),
                         "assay.yaml:2:46: devices.sim:x.noise.is_mode_a_clock: must be true or false");
    made_manifest_refuse(DEVICE("seed: -1"),
                         "assay.yaml:2:27: devices.sim:x.seed: must be at least 0, not -1");
    made_manifest_refuse(DEVICE("seed: 1.5"), "assay.yaml:2:27: devices.sim:x.seed: must be a whole number");
    made_manifest_refuse(DEVICE("episodes: {}"),
                         "assay.yaml:2:31: devices.sim:x.episodes: must be a list, not a mapping");
    made_manifest_refuse(DEVICE("episodes: "),
                         "assay.yaml:2:31: devices.sim:x.episodes: must be a list, not nothing");
    made_manifest_refuse(
        DEVICE("episodes: [{throttle: hot}]"),
        "assay.yaml:2:43: devices.sim:x.episodes[0].throttle: 'hot' is no reason, or a list of them with "
        "commas; there are sw_power_cap,hw_slowdown,");
    made_manifest_refuse(DEVICE("episodes: [{}, {from_round: 3, to_round: 2}]"),
                         "assay.yaml:2:62: devices.sim:x.episodes[1].to_round: is before from_round 3");
    made_manifest_refuse(DEVICE("episodes: [{from_round: -1}]"),
                         "assay.yaml:2:45: devices.sim:x.episodes[0].from_round: must lie between 0 and");
    struct strbuf text = {0};
    strbuf_add(&text, "version: 1\ndevices: {\"sim:x\": {episodes: [");
    for (int i = 0; i <= SIM_EPISODES_MAX; ++i) strbuf_add(&text, "{},");
    strbuf_add(&text, "]}}\n");
    made_manifest_refuse(strbuf_text(&text),
                         "assay.yaml:2:31: devices.sim:x.episodes: has 65 items; at most 64");
    strbuf_fini(&text);
#undef DEVICE
}

static void test_kernels(void **state) {
    (void)state;
#define KERNEL(rest) "version: 1\nkernels: {x: {operator: scale, " rest "}}\n"
    made_manifest_refuse(KERNEL("sim: {}, source: a.c"),
                         "assay.yaml:2:14: kernels.x: needs exactly one of source");
    made_manifest_refuse(KERNEL("backend: sim"), "assay.yaml:2:14: kernels.x: needs exactly one of source");
    made_manifest_refuse(KERNEL("backend: sim, source: a.c"),
                         "assay.yaml:2:41: kernels.x.backend: is 'sim', but there is no 'sim'");
    made_manifest_refuse(KERNEL("backend: cpu, sim: {}"),
                         "assay.yaml:2:41: kernels.x.backend: is 'cpu', but 'sim' is given");
    made_manifest_refuse(KERNEL("sim: {}, entry: y"),
                         "assay.yaml:2:48: kernels.x.entry: has no effect here: a script");
    made_manifest_refuse(KERNEL("sim: {}, flags: -g"),
                         "assay.yaml:2:48: kernels.x.flags: has no effect here: a script");
    made_manifest_refuse(KERNEL("sim: {slower_on: n128}"), "assay.yaml:2:49: kernels.x.sim.slower_on: ");
    made_manifest_refuse(KERNEL("sim: {base_us: 0}"),
                         "assay.yaml:2:47: kernels.x.sim.base_us: must lie between 0.001 and 1e+08, not 0");
    made_manifest_refuse(KERNEL("sim: {base_ms: 1}"),
                         "assay.yaml:2:38: kernels.x.sim.base_ms: unknown key, did you mean");
#undef KERNEL
}

static void test_shipped(void **state) {
    (void)state;
    struct manifest none = {0};
    const struct sim_device *device = NULL;
    for (size_t i = 0; (device = sim_shipped_device_at(&none, i)); ++i) {
        assert_int_equal(sim_device_check(device, "shipped", &made_manifest_error), 0);
        assert_true(device->summary && strlen(device->summary) < 100);
        char uuid[64], other[64];
        sim_device_uuid(device, uuid);
        for (size_t k = 0; k < i; ++k) {
            sim_device_uuid(sim_shipped_device_at(&none, k), other);
            assert_string_not_equal(uuid, other);
        }
    }
    assert_int_equal(sim_shipped_device_get(&none, "sim:promise", &device, &made_manifest_error), 0);
    assert_true(device->noise.cv_pct == 1 &&
                device->noise.process_pct == 2); // what statistics.md promises on
    assert_int_equal(sim_shipped_device_get(&none, "sim:stedy", &device, &made_manifest_error), -ERR_USAGE);
    assert_non_null(strstr(made_manifest_error.text, "did you mean 'sim:steady'? There are sim:steady, "));
    const struct sim_kernel *kernel;
    const char *summary;
    size_t kernel_count = 0;
    while ((kernel = sim_shipped_kernel_at(&none, kernel_count, &summary))) {
        assert_int_equal(sim_kernel_check(kernel, "shipped", &made_manifest_error), 0);
        assert_ptr_equal(sim_shipped_kernel_find(kernel->name), kernel);
        ++kernel_count;
    }
    assert_int_equal(kernel_count, 7);
    assert_null(sim_shipped_kernel_find("naive"));
}

// The manifest's own devices and kernels come first, and stand in place of shipped ones of that name.
static void test_replaced(void **state) {
    (void)state;
    struct manifest m, none = {0};
    const struct sim_device *device;
    assert_int_equal(made_manifest_parse("version: 1\ndevices: {\"sim:busy\": {}}\n"
                                         "kernels: {sim: {operator: scale, sim: {}}}\n",
                                         &m),
                     0);
    assert_int_equal(sim_shipped_device_get(&m, "sim:busy", &device, &made_manifest_error), 0);
    assert_ptr_equal(device, &m.sim_devices[0]);
    size_t count = 0, shipped_count = 0, kernel_count = 0;
    while (sim_shipped_device_at(&none, shipped_count)) ++shipped_count;
    while (sim_shipped_device_at(&m, count)) ++count;
    while (sim_shipped_kernel_at(&m, kernel_count, NULL)) ++kernel_count;
    assert_int_equal(count, shipped_count);
    assert_int_equal(kernel_count, 6);
    manifest_fini(&m);
}

// Every figure of a script is known to manifests with the script's bounds: both ends and its example are
// taken, more is not.
static void test_figures(void **state) {
    (void)state;
    static const struct {
        const struct member_table *figures;
        const char *before, *after;
    } parts[] = {
        {&sim_device_members, "devices: {\"sim:x\": {", "}}"},
        {&sim_noise_members, "devices: {\"sim:x\": {noise: {", "}}}"},
        {&sim_episode_members, "devices: {\"sim:x\": {episodes: [{", "}]}}"},
        {&sim_kernel_members, "kernels: {a: {operator: scale, sim: {", "}}}"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        for (size_t k = 0; k < parts[i].figures->count; ++k) {
            const struct member *figure = &parts[i].figures->members[k];
            if (figure->type != MEMBER_DOUBLE) continue;
            const double values[] = {atof(figure->example), figure->low, figure->high, figure->high + 1};
            for (size_t v = 0; v < 4; ++v) {
                struct manifest m;
                char text[256];
                snprintf(text, sizeof text, "version: 1\n%s%s: %.17g%s\n", parts[i].before, figure->key,
                         values[v], parts[i].after);
                const int code = made_manifest_parse(text, &m);
                if ((code == 0) != (v < 3)) fail_msg("%s%s", text, code ? made_manifest_error.text : "");
                if (code == 0) manifest_fini(&m);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_devices),  cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_shipped), cmocka_unit_test(test_replaced), cmocka_unit_test(test_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
