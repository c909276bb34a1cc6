// SPDX-License-Identifier: Apache-2.0
//
// Manifests: what a whole one says, where each mistake is placed, what is refused before it can do harm.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/plan/call.h"
#include "control/plan/manifest/manifest.h"
#include "unit/made_manifest.h"

static const char whole[] =
    "version: 1\n"
    "kernels:\n"
    "  simd:   {operator: attention, backend: cpu,  source: kernels/attention/simd.c, flags: [-g, -mavx2]}\n"
    "  fa:     {operator: attention, backend: cuda, source: k/fa.cu, config: {BLOCK_M: 64, BLOCK_N: -1}, "
    "fast_math: true}\n"
    "  mine:   {operator: attention, backend: cuda, build: {run: \"make fa.so\", output: fa.so, inputs: "
    "[\"csrc/**\"]}}\n"
    "  triton: {operator: attention, backend: cuda, python: \"kern.fa:forward\"}\n"
    "  ready:  {operator: attention, library: /opt/x.so, entry: second}\n"
    "suites:\n"
    "  pr: {from: ci, only: [s512, mission]}\n"
    "  own: {problems: {a: attention/fp32/b1/h1/s64/d32}}\n"
    "gate: {suite: pr, check: own, candidate: mine, baseline: \"git:merge-base\", regression_pct: 2.5, "
    "metric: call_time}\n"
    "peers: torch\n"
    "target_speedup: 1.5\n"
    "cost_per_hour: 2.50\n"
    "limits: {case_s: 30, gate_s: 600, memory_gb: 1.5, busy_pct: 15, priority: normal}\n";

static void test_whole(void **state) {
    (void)state;
    struct manifest m;
    assert_int_equal(made_manifest_parse(whole, &m), 0);
    assert_int_equal(m.kernel_count, 5);
    assert_string_equal(m.kernels[0].name, "simd");
    assert_string_equal(m.kernels[0].source, "kernels/attention/simd.c");
    assert_int_equal(m.kernels[0].flag_count, 2);
    assert_string_equal(m.kernels[0].flags[1], "-mavx2");
    assert_string_equal(m.kernels[1].backend, "cuda");
    assert_int_equal(m.kernels[1].config_count, 2);
    assert_string_equal(m.kernels[1].config[1].name, "BLOCK_N");
    assert_int_equal(m.kernels[1].config[1].value, -1);
    assert_true(m.kernels[1].is_fast_math);
    assert_string_equal(m.kernels[2].build_run, "make fa.so");
    assert_string_equal(m.kernels[2].build_inputs[0], "csrc/**");
    assert_string_equal(m.kernels[3].python, "kern.fa:forward");
    assert_string_equal(m.kernels[4].backend, "cpu");
    assert_string_equal(m.kernels[4].entry, "second");
    assert_int_equal(m.suite_count, 2);
    assert_int_equal(m.suites[0].only_count, 2);
    assert_string_equal(m.suites[1].problems[0].short_name, "a");
    assert_string_equal(m.gate.check, "own");
    assert_true(m.gate.spec.regression_pct == 2.5 && m.gate.is_regression_given);
    assert_int_equal(m.gate.metric, METRIC_CALL_TIME);
    assert_true(m.gate.spec.improvement_pct == 10);
    assert_int_equal(m.peer_count, 1);
    assert_string_equal(m.peers[0], "torch");
    assert_true(m.target_speedup == 1.5 && m.cost_per_hour == 2.5);
    assert_true(m.limits.case_s == 30 && m.limits.gate_s == 600 && m.limits.memory_gb == 1.5);
    assert_true(m.limits.busy_pct == 15 && m.limits.priority == RUN_PRIORITY_NORMAL);
    assert_true(m.dir[0] == '/');
    manifest_fini(&m);
}

static void test_defaults(void **state) {
    (void)state;
    struct manifest m;
    assert_int_equal(made_manifest_parse("version: 1\n", &m), 0);
    assert_int_equal(m.kernel_count, 0);
    assert_int_equal(m.gate.metric, METRIC_TIME);
    assert_null(m.gate.suite);
    assert_null(m.gate.check);
    assert_true(m.gate.spec.regression_pct == 3 && m.gate.spec.improvement_pct == 10);
    assert_true(isnan(m.target_speedup) && isnan(m.cost_per_hour));
    assert_true(m.limits.case_s == 60 && m.limits.gate_s == 3600 && m.limits.memory_gb == 0);
    assert_true(m.limits.busy_pct == 0 && m.limits.priority == RUN_PRIORITY_HIGH);
    manifest_fini(&m);
    manifest_empty(&m);
    assert_true(m.limits.gate_s == 3600);
    manifest_fini(&m);
}

#define CALLED "version: 1\nkernels: {k: {operator: scale, "

// A signature is compared with the operator, wherever both stand; of Python it is what the function is given.
static void test_call(void **state) {
    (void)state;
    struct manifest m;
    assert_int_equal(
        made_manifest_parse(CALLED "call: \"int f(fp32 x, fp32 y, int count)\", source: k.c}}\n", &m), 0);
    assert_string_equal(m.kernels[0].call->function, "f");
    manifest_fini(&m);
    made_manifest_refuse(CALLED "call: \"f(fp32 x)\", source: k.c}}\n",
                         "assay.yaml:2:38: kernels.k.call: 'f(fp32 x)', column 10: result 'y' is not passed");
    made_manifest_refuse(
        CALLED "call: \"f(fp32 y, stream)\", source: k.c}}\n",
        "assay.yaml:2:38: kernels.k.call: 'f(fp32 y, stream)', column 11: there is a stream on cuda");
    made_manifest_refuse(CALLED "call: \"f(fp32 y)\", python: \"k:f\"}}\n",
                         "assay.yaml:2:38: kernels.k.call: 'f(fp32 y)', column 8: expected ',' or ')'");
    made_manifest_refuse(CALLED "python: \"k:f(y)\"}}\n",
                         "assay.yaml:2:40: kernels.k.python: must be 'module:function', not 'k:f(y)'");
    static const char *const orders[] = {"[y, x]", "\"f(y, x)\"", "\"f( y, x )\""};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        char text[256];
        snprintf(text, sizeof text, CALLED "call: %s, python: \"k:C.f\"}}\n", orders[i]);
        assert_int_equal(made_manifest_parse(text, &m), 0);
        assert_string_equal(m.kernels[0].python, i < 2 ? "k:C.f(y, x)" : "k:C.f( y, x )");
        assert_null(m.kernels[0].call);
        manifest_fini(&m);
    }
    made_manifest_refuse(CALLED "call: \"f(fp32 y)\", entry: f, source: k.c}}\n",
                         "assay.yaml:2:58: kernels.k.entry: has no effect here: 'call' names the function");
    made_manifest_refuse(CALLED "call: [x], source: k.c}}\n", "assay.yaml:2:38: kernels.k.call: ");
}

#define MAIL    "version: 1\nnotify: {email_from: c@x, "
#define REFUSED "assay.yaml:2:9: notify: "
#define HERE    "email_to: a@x, smtp_tls: none, smtp: "

// No TLS on this machine alone; addresses without names.
static void test_mail(void **state) {
    (void)state;
    static const char *const here[] = {"smtp://localhost", "smtp://127.0.0.1:25", "smtp://[::1]/ci"};
    static const char *const elsewhere[] = {"smtp://mail.x", "smtp://localhost.x", "smtps://localhost",
                                            "smtp://localhost:25@mail.x", "localhost"};
    struct manifest m;
    for (size_t i = 0; i < sizeof here / sizeof *here; ++i) {
        char *text = mem_format(MAIL HERE "\"%s\"}\n", here[i]);
        assert_int_equal(made_manifest_parse(text, &m), 0);
        assert_true(m.notify.smtp_tls);
        manifest_fini(&m);
        free(text);
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; ++i) {
        char *text = mem_format(MAIL HERE "\"%s\"}\n", elsewhere[i]);
        made_manifest_refuse(text, REFUSED "smtp_tls: none is for a server on this machine");
        free(text);
    }
    assert_int_equal(made_manifest_parse(MAIL "email_to: \"a@x, b@x\", smtp: \"smtp://mail.x\"}\n", &m), 0);
    assert_false(m.notify.smtp_tls);
    manifest_fini(&m);
    made_manifest_refuse(MAIL "email_to: \"a@x, \", smtp: \"smtp://mail.x\"}\n",
                         REFUSED "email_to is one address");
    made_manifest_refuse(MAIL "email_to: \"Ann <a@x>\", smtp: \"smtp://mail.x\"}\n",
                         REFUSED "email_to is one address");
    made_manifest_refuse("version: 1\nnotify: {webhook: json, smtp_tls: none}\n",
                         REFUSED "smtp_tls: none is for a server on this machine");
}

static void test_places(void **state) {
    (void)state;
    made_manifest_refuse("version: 1\ngate: {suite: ci,\n    regresion_pct: 3}\n",
                         "assay.yaml:3:5: gate.regresion_pct: unknown key, did you mean 'regression_pct'?");
    made_manifest_refuse(
        "version: 1\nzzzzzz: 3\n",
        "assay.yaml:2:1: zzzzzz: unknown key; known here: version, extends, python_interpreter, limits");
    made_manifest_refuse("kernels: {}\n", "assay.yaml:1:1: version: is missing");
    made_manifest_refuse("version: 2\n", "assay.yaml:1:10: version: must be 1, not 2");
    made_manifest_refuse("version: 1\nnotify: {smtp_tls: off}\n",
                         "assay.yaml:2:20: notify.smtp_tls: is none, not 'off'");
    made_manifest_refuse("version: \"1\"\n",
                         "assay.yaml:1:10: version: must be a whole number, not a text; remove the quotes");
    made_manifest_refuse("version: one\n", "assay.yaml:1:10: version: must be a whole number, not 'one'");
    made_manifest_refuse("version: 1\nversion: 1\n",
                         "assay.yaml:2:1: version: given twice (first in line 1)");
    made_manifest_refuse("version: 1\ngate: {regression_pct: [3]}\n",
                         "assay.yaml:2:24: gate.regression_pct: must be a number, not a list");
    made_manifest_refuse("version: 1\ngate: {regression_pct: 0}\n",
                         "assay.yaml:2:24: gate.regression_pct: must lie between 0.01");
    made_manifest_refuse("version: 1\ngate: {regression_pct: nan}\n",
                         "assay.yaml:2:24: gate.regression_pct: must be a number");
    made_manifest_refuse("version: 1\ngate: {regression_pct: .inf}\n",
                         "assay.yaml:2:24: gate.regression_pct: must be a number");
    made_manifest_refuse("version: 1\ngate: {metric: cycles}\n",
                         "assay.yaml:2:16: gate.metric: is time, call_time, instructions, "
                         "matrix_instructions or dram_bytes, not 'cycles'");
    made_manifest_refuse("version: 1\ngate: {ratchet: {register: 0}}\n",
                         "assay.yaml:2:18: gate.ratchet.register: unknown key, did you mean 'registers'?");
    made_manifest_refuse("version: 1\ngate: {ratchet: {spills: -1}}\n",
                         "assay.yaml:2:26: gate.ratchet.spills: is by how much the figure may grow: a number "
                         "such as 0, or a share such as 5 %, not '-1'");
    made_manifest_refuse("version: 1\ngate: {ratchet: 5}\n",
                         "assay.yaml:2:17: gate.ratchet: must be a mapping");
    made_manifest_refuse("version: 1\ngate: {undecided: ignore}\n",
                         "assay.yaml:2:19: gate.undecided: is fail or warn, not 'ignore'");
    made_manifest_refuse("version: 1\nlimits: {priority: real_time}\n",
                         "assay.yaml:2:20: limits.priority: is high or normal, not 'real_time'");
    made_manifest_refuse("version: 1\nlimits: 3\n", "assay.yaml:2:9: limits: must be a mapping, not a text");
    made_manifest_refuse("version: 1\nlimits:\n", "assay.yaml:2:8: limits: has no value");
    made_manifest_refuse("version: 1\npeers: [torch, {a: b}]\n",
                         "assay.yaml:2:16: peers[1]: must be a text, not a mapping");
}

static void test_kernels(void **state) {
    (void)state;
#define KERNEL(rest) "version: 1\nkernels: {x: {operator: attention" rest "}}\n"
    made_manifest_refuse(
        KERNEL(""),
        "assay.yaml:2:14: kernels.x: needs exactly one of source, library, build, python or sim, not none");
    made_manifest_refuse(KERNEL(", source: a.c, library: b.so"),
                         "assay.yaml:2:14: kernels.x: needs exactly one of");
    made_manifest_refuse(KERNEL(", source: /a.c"), "assay.yaml:2:44: kernels.x.source: must be a path below");
    made_manifest_refuse(KERNEL(", source: ../a.c"),
                         "assay.yaml:2:44: kernels.x.source: must be a path below");
    made_manifest_refuse(KERNEL(", source: b/../../a.c"),
                         "assay.yaml:2:44: kernels.x.source: must be a path below");
    made_manifest_refuse(KERNEL(", python: f"),
                         "assay.yaml:2:44: kernels.x.python: must be 'module:function'");
    made_manifest_refuse(KERNEL(", library: a.so, flags: [-g]"),
                         "assay.yaml:2:58: kernels.x.flags: has no effect here");
    made_manifest_refuse(KERNEL(", build: {run: make}"),
                         "assay.yaml:2:43: kernels.x.build.output: is missing");
    made_manifest_refuse(KERNEL(", source: a.cu, backend: cpu"),
                         "assay.yaml:2:59: kernels.x.backend: is 'cpu', but 'a.cu'");
    made_manifest_refuse(KERNEL(", source: a.c, backend: gpu"),
                         "assay.yaml:2:58: kernels.x.backend: is cpu, cuda or sim, not 'gpu'");
    made_manifest_refuse(KERNEL(", source: a.c, config: {BLOCK-M: 1}"),
                         "assay.yaml:2:58: kernels.x.config.BLOCK-M: must be a macro");
    made_manifest_refuse(KERNEL(", source: a.c, config: {M: 1.5}"),
                         "assay.yaml:2:61: kernels.x.config.M: must be a whole number");
    made_manifest_refuse(KERNEL(", source: a.c, fast_math: yes"),
                         "assay.yaml:2:60: kernels.x.fast_math: must be true or false");
    made_manifest_refuse("version: 1\nkernels: {x: {operator: atention, source: a.c}}\n",
                         "assay.yaml:2:25: kernels.x.operator: is attention, gemm or scale, not 'atention', "
                         "did you mean 'attention'?");
    made_manifest_refuse("version: 1\nkernels: {x: {source: a.c}}\n",
                         "assay.yaml:2:14: kernels.x.operator: is missing");
    made_manifest_refuse("version: 1\nkernels: {\"git:x\": {operator: attention, source: a.c}}\n",
                         "assay.yaml:2:11: kernels.git:x: a kernel's name is made of");
#undef KERNEL
}

static void test_tolerance(void **state) {
    (void)state;
    struct manifest m;
    assert_int_equal(
        made_manifest_parse(
            "version: 1\nkernels: {x: {operator: attention, source: a.c, tolerance: {atol: 2e-3, "
            "two_x: off, why: fp16 sums}}}\nsuites: {s: {from: cpu, tolerance: {rtol: 0, min_pass: "
            "0.99, why: w}}}\n",
            &m),
        0);
    const struct own_tolerance *kernel = m.kernels[0].tolerance, *suite = m.suites[0].tolerance;
    assert_true(kernel->atol == 2e-3 && isnan(kernel->rtol) && isnan(kernel->min_pass) &&
                kernel->is_two_x_off);
    assert_string_equal(kernel->why, "fp16 sums");
    assert_true(suite->rtol == 0 && suite->min_pass == 0.99 && !suite->is_two_x_off);
    manifest_fini(&m);
#define TOLERANCE(text) "version: 1\nkernels: {x: {operator: attention, source: a.c, tolerance: " text "}}\n"
    made_manifest_refuse(TOLERANCE("{atol: 1}"), "assay.yaml:2:60: kernels.x.tolerance: needs a reason");
    made_manifest_refuse(TOLERANCE("{atol: 1, why: \" \"}"),
                         "assay.yaml:2:60: kernels.x.tolerance: needs a reason");
    made_manifest_refuse(TOLERANCE("{two_x: on, why: w}"),
                         "assay.yaml:2:60: kernels.x.tolerance: has a reason and changes nothing");
    made_manifest_refuse(TOLERANCE("{rtol: 1, why: w}"),
                         "assay.yaml:2:67: kernels.x.tolerance.rtol: must lie between");
#undef TOLERANCE
}

static void test_suites_and_gate(void **state) {
    (void)state;
    made_manifest_refuse("version: 1\nsuites: {a: {problems: {p: attention/fp16/b0/h1/s1/d64}}}\n",
                         "assay.yaml:2:28: suites.a.problems.p: problem 'attention/fp16/b0");
    made_manifest_refuse("version: 1\nsuites: {a: {problems: {p: {problem: attention/fp16/b1/h1/s1/d64, "
                         "distribution: sinc}}}}\n",
                         "assay.yaml:2:28: suites.a.problems.p: unknown input distribution");
    made_manifest_refuse("version: 1\nsuites: {a: {problems: {p: {problem: attention/fp16/b1/h1/s1/d64, "
                         "memory_layout: away}}}}\n",
                         "assay.yaml:2:82: suites.a.problems.p.memory_layout: is dense, padded, offset, "
                         "packed or far, not 'away'");
    made_manifest_refuse("version: 1\nsuites: {a: {problems: {p: {distribution: sink}}}}\n",
                         "assay.yaml:2:28: suites.a.problems.p.problem: is missing");
    made_manifest_refuse("version: 1\nsuites: {a: {from: b}, b: {from: a}}\n",
                         "assay.yaml:2:20: suites.a: suite 'a' is made from itself");
    made_manifest_refuse("version: 1\nsuites: {a: {from: cj}}\n",
                         "assay.yaml:2:20: suites.a: unknown suite 'cj'");
    made_manifest_refuse("version: 1\nsuites: {a: {from: ci, only: [s513]}}\n",
                         "assay.yaml:2:20: suites.a: suite 'ci' has no problem 's513', did you mean");
    made_manifest_refuse("version: 1\nsuites: {a: {}}\n", "assay.yaml:2:10: suites.a: needs either 'from'");
    made_manifest_refuse("version: 1\nsuites: {a: {from: ci, problems: {p: attention/fp16/b1/h1/s1/d64}}}\n",
                         "assay.yaml:2:10: suites.a: needs either 'from'");
    made_manifest_refuse("version: 1\nsuites: {a: {from: ci, only: []}}\n",
                         "assay.yaml:2:30: suites.a.only: is empty");
    made_manifest_refuse("version: 1\ngate: {suite: nope}\n",
                         "assay.yaml:2:15: gate.suite: unknown suite 'nope'");
    made_manifest_refuse("version: 1\ngate: {candidate: nope}\n",
                         "assay.yaml:2:19: gate.candidate: unknown kernel 'nope'");
    made_manifest_refuse(
        "version: 1\nkernels: {tiled: {operator: attention, source: a.c}}\ngate: {baseline: tild}\n",
        "assay.yaml:3:18: gate.baseline: unknown kernel 'tild', did you mean 'tiled'?");
    struct manifest m;
    assert_int_equal(made_manifest_parse("version: 1\ngate: {baseline: ci/b.json}\n", &m), 0);
    manifest_fini(&m);
    assert_int_equal(made_manifest_parse("version: 1\nsuites: {ci: {from: ci, only: [s512]}}\n", &m), 0);
    manifest_fini(&m);
}

static void test_hostile(void **state) {
    (void)state;
    made_manifest_refuse("", "assay.yaml:1:1: the manifest is empty");
    made_manifest_refuse("# nothing\n", "assay.yaml:1:1: the manifest is empty");
    made_manifest_refuse("null\n", "assay.yaml:1:1: the manifest must be a mapping");
    made_manifest_refuse("- 1\n", "assay.yaml:1:1: the manifest must be a mapping");
    made_manifest_refuse("version: 1\n\tkernels: 3\n", "assay.yaml:2:1: not valid YAML");
    made_manifest_refuse("version: 1\n---\nversion: 1\n", "assay.yaml:2:1: a second document begins here");
    made_manifest_refuse("version: 1\nkernels: &a {x: *a}\n", "assay.yaml:2:10: too much here");
    made_manifest_refuse("? [a]\n: 1\n", "assay.yaml:1:3: a key must be a plain name");
    made_manifest_refuse("version: 1\nx\xff: 1\n", "assay.yaml:");
    struct strbuf text = {0};
    strbuf_add(&text, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 12; ++i) {
        strbuf_addf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; ++k) strbuf_addf(&text, "%s*a%d", k ? "," : "", i - 1);
        strbuf_add(&text, "]\n");
    }
    made_manifest_refuse(strbuf_text(&text), "assay.yaml:");
    assert_non_null(strstr(made_manifest_error.text, "too much here"));
    strbuf_clear(&text);
    for (int i = 0; i < 100000; ++i) strbuf_add_char(&text, '[');
    made_manifest_refuse(strbuf_text(&text), "assay.yaml:1:17: nested too deeply");
    strbuf_clear(&text);
    while (text.length <= (1 << 20)) strbuf_add(&text, "# a comment that goes on and on\n");
    made_manifest_refuse(strbuf_text(&text), "assay.yaml: larger than the limit");
    strbuf_fini(&text);
}

static void test_starter(void **state) {
    (void)state;
    struct manifest m;
    assert_int_equal(made_manifest_parse(manifest_starter(), &m), 0);
    assert_int_equal(m.kernel_count, 1);
    assert_string_equal(m.gate.candidate, "mine");
    manifest_fini(&m);
}

static void test_own_manifest(void **state) {
    (void)state;
    struct manifest m;
    if (manifest_read(ASSAY_SOURCE_DIR "/assay.yaml", NULL, &m, &made_manifest_error) < 0)
        fail_msg("%s", made_manifest_error.text);
    assert_string_equal(m.gate.candidate, "simd");
    assert_string_equal(m.gate.baseline, "tiled");
    manifest_fini(&m);
}

static void test_files(void **state) {
    (void)state;
    char dir[] = "/tmp/assay-manifest-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path = path_join(dir, "assay.yaml"), *inner = path_join(dir, "a/b");
    struct manifest m;
    assert_int_equal(manifest_read(path, NULL, &m, &made_manifest_error), -ERR_NO_INPUT);
    assert_non_null(strstr(made_manifest_error.text, "assay init"));
    assert_int_equal(file_make_dirs(inner, &made_manifest_error), 0);
    assert_null(manifest_find(inner));
    assert_int_equal(file_write_atomic(path, "version: 1\n", 11, &made_manifest_error), 0);
    char *found = manifest_find(inner);
    assert_string_equal(found, path);
    assert_int_equal(manifest_read(found, NULL, &m, &made_manifest_error), 0);
    assert_string_equal(m.dir, dir);
    manifest_fini(&m);
    free(found);
    assert_int_equal(file_remove_tree(dir, &made_manifest_error), 0);
    free(path);
    free(inner);
}

static void write_text(const char *path, const char *text) {
    assert_int_equal(file_write_atomic(path, text, strlen(text), &made_manifest_error), 0);
}

// All is that of the manifest below, but the kernels that the other adds or replaces, from its own folder.
static void test_extends(void **state) {
    (void)state;
    char dir[] = "/tmp/assay-manifest-XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *base = path_join(dir, "assay.yaml"), *build = path_join(dir, "build"),
         *path = path_join(build, "assay.yaml");
    assert_int_equal(file_make_dirs(build, &made_manifest_error), 0);
    write_text(base,
               "version: 1\nkernels:\n  a: {operator: scale, library: a.so}\n  b: {operator: scale, library: "
               "b.so}\ngate: {candidate: a}\n");
    write_text(path,
               "version: 1\nextends: ../assay.yaml\nkernels: {b: {operator: scale, library: own.so}, c: "
               "{operator: scale, library: c.so}}\n");
    struct manifest m;
    assert_int_equal(manifest_read(path, NULL, &m, &made_manifest_error), 0);
    assert_true(m.is_extended && !m.gate.is_regression_given && m.gate.spec.regression_pct == 3);
    assert_string_equal(m.dir, dir);
    assert_string_equal(m.gate.candidate, "a");
    const char *const names[] = {"b", "c", "a"}, *const folders[] = {build, build, NULL};
    assert_int_equal(m.kernel_count, 3);
    for (size_t i = 0; i < 3; ++i) {
        assert_string_equal(m.kernels[i].name, names[i]);
        assert_true(str_equal(m.kernels[i].dir, folders[i]) || (!m.kernels[i].dir && !folders[i]));
    }
    assert_string_equal(m.kernels[0].library, "own.so");
    manifest_fini(&m);

    write_text(path, "version: 1\nextends: ../assay.yaml\nlimits: {case_s: 1}\n");
    assert_int_equal(manifest_read(path, NULL, &m, &made_manifest_error), -ERR_CONFIG);
    assert_non_null(
        strstr(made_manifest_error.text, "build/assay.yaml:3:1: limits: is said by the manifest"));
    write_text(base, "version: 1\nextends: assay.yaml\n"); // itself
    assert_int_equal(manifest_read(base, NULL, &m, &made_manifest_error), -ERR_CONFIG);
    assert_non_null(strstr(made_manifest_error.text, ":2:10: extends: stands in a manifest"));
    made_manifest_refuse("version: 1\nextends: [a]\n", "assay.yaml:2:10: extends: must be the path");
    assert_int_equal(file_remove_tree(dir, &made_manifest_error), 0);
    free(base), free(build), free(path);
}

static void test_get_kernel(void **state) {
    (void)state;
    struct manifest m;
    const struct manifest_kernel *kernel = NULL;
    assert_int_equal(made_manifest_parse(whole, &m), 0);
    assert_int_equal(manifest_get_kernel(&m, "mine", &kernel, &made_manifest_error), 0);
    assert_string_equal(kernel->name, "mine");
    assert_int_equal(manifest_get_kernel(&m, "simf", &kernel, &made_manifest_error), -ERR_USAGE);
    assert_non_null(strstr(made_manifest_error.text, "did you mean 'simd'?"));
    manifest_fini(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_mail),         cmocka_unit_test(test_call),
        cmocka_unit_test(test_places),       cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_tolerance),    cmocka_unit_test(test_suites_and_gate),
        cmocka_unit_test(test_hostile),      cmocka_unit_test(test_starter),
        cmocka_unit_test(test_own_manifest), cmocka_unit_test(test_files),
        cmocka_unit_test(test_extends),      cmocka_unit_test(test_get_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
