// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of tests/broken/ is detected, with the outcome that expected.txt names. Each is compiled as an
// outsider would compile it and run by a real worker process. The outcomes that the parent deduces from a
// dead worker (CRASHED, TIMEOUT) are deduced here in the same way.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "gen/assay_config.h"
#include "record/record.h"
#include "record/work_order.h"

#define LINES_MAX       128
#define CASE_DEADLINE_S 8 // from one record to the next; sanitizer builds are slow

struct expected {
    char file[64], order[16], problem[128], memory_layout[16], earlier[128], outcome[16], finding[32];
    char name[256];
};

static struct expected table[LINES_MAX];
static char work_dir[] = "/tmp/assay_broken_XXXXXX";

static size_t read_table(void) {
    char *text = NULL;
    size_t length, count = 0;
    struct err err;
    if (file_read(ASSAY_SOURCE_DIR "/tests/broken/expected.txt", 1 << 20, &text, &length, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 0;
    }
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct expected *e = &table[count];
        if (*line == '#' || !*line || count == LINES_MAX) continue;
        int got = sscanf(line, "%63s %15s %127s %15s %127s %15s %31s", e->file, e->order, e->problem,
                         e->memory_layout, e->earlier, e->outcome, e->finding);
        if (got != 7) continue;
        char name[sizeof e->name];
        snprintf(name, sizeof name, "%.63s %.15s %.127s %.15s", e->file, e->order, e->problem,
                 e->memory_layout);
        memcpy(e->name, name, sizeof name);
        ++count;
    }
    free(text);
    return count;
}

static char *build_module(const char *file) {
    char *source = mem_format("%s/tests/broken/%s.c", ASSAY_SOURCE_DIR, file);
    char *module = mem_format("%s/%s.so", work_dir, file);
    const char *const argv[] = {ASSAY_CC, "-std=c17", "-D_GNU_SOURCE",
                                "-O1",    "-g",       "-shared",
                                "-fPIC",  "-pthread", "-I" ASSAY_SOURCE_DIR "/include",
                                "-o",     module,     source,
                                "-lm",    NULL};
    struct proc_spec spec = {.argv = argv, .timeout_ns = 60000000000u};
    struct proc_status status;
    struct strbuf output = {0};
    struct err err;
    if (!file_exists(module)) {
        assert_int_equal(proc_run(&spec, &status, &output, &err), 0);
        if (status.end != PROC_EXITED || status.exit_code != 0)
            fail_msg("%s: %s", file, strbuf_text(&output));
    }
    strbuf_fini(&output);
    free(source);
    return module;
}

static bool is_pair(const struct expected *e) {
    return strcmp(e->order, "pair") == 0;
}

static bool is_warm(const struct expected *e) {
    return strcmp(e->order, "warm") == 0;
}

static bool is_round(const struct expected *e) {
    return is_pair(e) || is_warm(e) || strcmp(e->order, "round") == 0;
}

// In a pair side 1 is a right kernel.
static void write_order(const struct expected *e, const char *module, const char *right, struct strbuf *out) {
    struct work_case cases[2];
    struct err err;
    memset(cases, 0, sizeof cases);
    size_t count = 0;
    const char *const problems[] = {e->earlier, e->problem};
    for (size_t i = 0; i < 2; ++i) {
        if (strcmp(problems[i], "-") == 0) continue;
        if (problem_parse(&operators_compiled, problems[i], &cases[count].problem, &err) < 0)
            fail_msg("%s", err.text);
        cases[count].index = (uint32_t)i;
        cases[count].distribution = OP_DISTRIBUTION_DEFAULT;
        cases[count].memory_layout = memory_layout_parse(e->memory_layout);
        cases[count].seed = 11;
        cases[count++].side_mask = is_pair(e) ? 3 : 1;
    }
    struct work_order order = {.device = "cpu", .seed = 5, .case_count = count, .cases = cases};
    order.kind = is_round(e) ? WORK_ROUND : WORK_CHECK;
    order.side_count = is_pair(e) ? 2 : 1;
    order.sides[0].label = "candidate";
    order.sides[0].module_path = module;
    order.sides[1].label = "right";
    order.sides[1].module_path = right;
    order.sampling = sampling_default();
    if (is_warm(e)) order.sampling.cache_mode = CACHE_WARM;
    order.sampling.sample_count = 10;
    order.sampling.stabilize_ns = 1000000;
    order.sampling.sample_time_ns = 100000;
    work_order_write(&order, out);
}

struct outcome_seen {
    enum outcome outcome;
    enum finding finding;
    char message[768];
};

// seen, ret_has_samples: a side each.
static void take_record(const char *line, const struct expected *e, bool *ret_has_samples,
                        struct outcome_seen *seen) {
    struct arena arena = {0};
    struct record record;
    struct err err;
    if (record_parse(line, strlen(line), &arena, &record, &err) < 0) fail_msg("%s: %s", err.text, line);
    if (record.kind == RECORD_CHECK && record.case_index == 1) {
        assert_int_equal(record.phase, is_round(e) ? PHASE_ROUND : PHASE_CHECK);
        assert_true(record.side < 2);
        seen += record.side;
        seen->outcome = record.check.outcome;
        seen->finding = record.check.finding;
        snprintf(seen->message, sizeof seen->message, "%s", record.check.message);
    }
    if (record.kind == RECORD_SAMPLES) ret_has_samples[record.side] = true;
    arena_fini(&arena);
}

static void run_worker(const struct expected *e, struct outcome_seen *seen, bool *ret_has_samples) {
    char *module = build_module(e->file), *right = build_module("right");
    struct strbuf order = {0};
    write_order(e, module, right, &order);
    const char *const argv[] = {ASSAY_BINARY, "worker", NULL};
    struct proc_spec spec = {.argv = argv, .stdin_text = order.text, .stdin_length = order.length};
    struct proc *proc;
    struct err err;
    if (proc_open(&spec, &proc, &err) < 0) fail_msg("%s", err.text);
    char *line, *tail = NULL;
    while (proc_next_line(proc, clock_ns() + CASE_DEADLINE_S * 1000000000ull, &line, &err) == 1)
        take_record(line, e, ret_has_samples, seen);
    struct proc_status status;
    proc_close(proc, &status, &tail);
    if (seen->outcome == OUTCOME_NONE) {
        seen->outcome = status.end == PROC_TIMEOUT ? OUTCOME_TIMEOUT : OUTCOME_CRASHED;
        struct strbuf text = {0};
        proc_status_format(&status, &text);
        snprintf(seen->message, sizeof seen->message, "%s: %.600s", strbuf_text(&text), tail ? tail : "");
        strbuf_fini(&text);
    }
    free(tail);
    strbuf_fini(&order);
    free(module);
    free(right);
}

static void test_line(void **state) {
    const struct expected *e = *state;
    struct outcome_seen both[2];
    bool has_samples[2];
    // Late work is found by its share of a processor, which other tests may take: three looks.
    int tries = strcmp(e->finding, finding_name(FINDING_LATE_WORK)) == 0 ? 3 : 1;
    do {
        memset(both, 0, sizeof both);
        memset(has_samples, 0, sizeof has_samples);
        run_worker(e, both, has_samples);
    } while (--tries > 0 && both[0].outcome == OUTCOME_OK);
    const struct outcome_seen seen = both[0];
    if (is_pair(e) && both[1].outcome != OUTCOME_OK) fail_msg("%s: side 1: %s", e->name, both[1].message);
    assert_int_equal(has_samples[1], is_pair(e));
    if (strcmp(outcome_name(seen.outcome), e->outcome) != 0)
        fail_msg("%s: outcome %s (%s), expected %s", e->name, outcome_name(seen.outcome), seen.message,
                 e->outcome);
    if (finding_parse(e->finding) != seen.finding)
        fail_msg("%s: finding %s (%s), expected %s", e->name, finding_name(seen.finding), seen.message,
                 e->finding);
    // A kernel that is wrong has no time anywhere; one that is right and timed has.
    assert_int_equal(has_samples[0], is_round(e) && seen.outcome == OUTCOME_OK);
}

static int make_dir(void **state) {
    (void)state;
    return mkdtemp(work_dir) ? 0 : -1;
}

static int remove_dir(void **state) {
    (void)state;
    return file_remove_tree(work_dir, NULL);
}

int main(void) {
    const size_t count = read_table();
    if (!count) return 1;
    struct CMUnitTest *tests = mem_alloc(count * sizeof *tests);
    for (size_t i = 0; i < count; ++i)
        tests[i] =
            (struct CMUnitTest){.name = table[i].name, .test_func = test_line, .initial_state = &table[i]};
    const int failures = _cmocka_run_group_tests("broken", tests, count, make_dir, remove_dir);
    free(tests);
    return failures;
}
