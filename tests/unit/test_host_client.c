// SPDX-License-Identifier: Apache-2.0
//
// The judge's end against hosts that speak the protocol badly. This program is its own host: it plays what
// the label of its side says. Whatever it does, the judge gets a sentence about this host, and goes on.
#include "host_played.h"

// Its end, as the record of the case will tell it.
static void assert_gone(enum outcome outcome, enum finding finding, const char *words) {
    struct check_result result = {0};
    struct batch_time time;
    char text[512] = "";
    assert_true(host_is_gone(host, &result));
    if (!strstr(result.message, words)) fail_msg("'%s' does not say '%s'", result.message, words);
    assert_int_equal(result.outcome, outcome);
    assert_int_equal(result.finding, finding);
    for (const char *at = result.message; *at; ++at) assert_true(*at >= ' ' && *at < 127);
    // Whatever is asked of it now is answered by that sentence, at once.
    assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
    assert_non_null(strstr(text, words));
    assert_int_equal(host_end(host), HOST_GONE);
    host_release(host);
}

static void test_honest(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512];
    open_and_prepare("honest", &prepared);
    assert_int_equal(prepared.status, ASSAY_OK);
    assert_true(prepared.has_state && prepared.workspace_bytes == 0);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_int_equal(time.duration_ns, 1000);
    assert_true(time.judge_ns > 0 && time.start_ns <= clock_ns());
    assert_false(host_is_gone(host, &(struct check_result){0}));
    host_release(host);
    assert_int_equal(host_end(host), 0);
    host_close(host);
}

static void test_bad_ends(void **state) {
    (void)state;
    static const struct {
        const char *script, *words;
        enum outcome outcome;
        enum finding finding;
    } cases[] = {
        {"exits", "exited with code 0 before the case was finished", OUTCOME_CRASHED, FINDING_NONE},
        {"aborts", "killed by signal 6", OUTCOME_CRASHED, FINDING_NONE},
        {"closes", "its process closed the judge's channel", OUTCOME_CRASHED, FINDING_NONE},
        {"empty", "its process closed the judge's channel", OUTCOME_CRASHED, FINDING_NONE},
        {"short", "its process answered with a packet that is none of a host's", OUTCOME_CRASHED,
         FINDING_NONE},
        {"other_number", "its process answered what nobody had asked", OUTCOME_CRASHED, FINDING_NONE},
        {"no_kind", "its process answered what nobody had asked", OUTCOME_CRASHED, FINDING_NONE},
        {"traced", "its process does not stop", OUTCOME_CRASHED, FINDING_NONE},
        {"fault", "wrote memory 12 bytes past the end of 'out'", OUTCOME_FAIL, FINDING_OUT_OF_BOUNDS},
        {"odd_fault", "'???", OUTCOME_FAIL, FINDING_OUT_OF_BOUNDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(cases[i].script, &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_gone(cases[i].outcome, cases[i].finding, cases[i].words);
        host_close(host);
    }
}

// Answers that nobody has asked for lie in the channel when the next command is sent.
static void test_too_many_answers(void **state) {
    (void)state;
    static const char *const scripts[] = {"twice", "answers_ahead", "floods"};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        char text[512] = "";
        open_and_prepare(scripts[i], &prepared);
        assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_gone(OUTCOME_CRASHED, FINDING_NONE, "its process answered what nobody had asked");
        host_close(host);
    }
}

static void test_figures(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[HOST_TEXT_BYTES + 100] = "";
    open_and_prepare("forged_times", &prepared);
    const uint64_t before_ns = clock_ns();
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.start_ns >= before_ns && time.start_ns <= clock_ns());
    assert_true(time.duration_ns > 0 && time.duration_ns <= UINT64_C(86400000000000));
    assert_true(time.judge_ns < UINT64_C(10000000000)); // its own clock's
    assert_true(time.tail_ns == 0 && isnan(time.kernel_clock_hz) && time.judge_error_ns == 0);
    host_close(host);
    open_and_prepare("zero_time", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_true(time.start_ns >= before_ns && time.duration_ns == 1);
    host_close(host);
    open_and_prepare("odd_status", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), INT32_MIN); // a failure like any other
    host_close(host);
    open_and_prepare("gone_status", &prepared);
    assert_int_not_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    assert_false(host_is_gone(host, &(struct check_result){0}));
    host_close(host);
    open_and_prepare("endless_text", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_FAILED);
    assert_int_equal(strlen(text), HOST_TEXT_BYTES - 1);
    host_close(host);
    open_and_prepare("error", &prepared);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_FAILED);
    assert_string_equal(text, "words of the host");
    host_close(host);
}

static void test_prepare_and_load(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct err err = {0};
    open_and_prepare("huge", &prepared);
    assert_int_equal(prepared.workspace_bytes, SIZE_MAX); // the judge asks what the device has
    assert_int_equal(prepared.callback, KERNEL_PREPARE);
    assert_int_equal(strlen(prepared.text), sizeof prepared.text - 1);
    host_close(host);
    assert_int_equal(open_host("refuses", &err), -ERR_DATA); // a code that there is not
    assert_null(host);
    assert_non_null(strstr(err.text, "nnn"));
    assert_int_equal(open_host("dies_loading", &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "does a constructor of the module"));
}

static void test_bad_goodbyes(void **state) {
    (void)state;
    struct check_result result;
    struct kernel_prepared prepared;
    open_and_prepare("ends_badly", &prepared);
    assert_int_equal(host_end(host), HOST_GONE);
    assert_true(host_is_gone(host, &result));
    assert_string_equal(result.message,
                        "exited with code 9 after its results were written, in release or in a destructor");
    host_close(host);
    open_and_prepare("stays", &prepared);
    const uint64_t start_ns = clock_ns();
    assert_int_equal(host_end(host), HOST_GONE);
    assert_true(clock_ns() - start_ns < UINT64_C(9000000000));
    assert_true(host_is_gone(host, &result));
    assert_int_equal(result.outcome, OUTCOME_TIMEOUT);
    host_close(host);
}

// ---- signals from outside ----

struct told {
    int count;
    uint32_t side;
    char sentence[256];
};

static void note_killed(void *arg, uint32_t side, const char *sentence) {
    struct told *told = arg;
    ++told->count;
    told->side = side;
    snprintf(told->sentence, sizeof told->sentence, "%s", sentence);
}

// Who can try again is told once; an end of the host's own is nothing to be told.
static void test_killed_from_outside(void **state) {
    (void)state;
    static const struct {
        const char *script;
        int signal, told;
    } cases[] = {{"honest", SIGKILL, 1}, {"exits", 0, 0}, {"aborts", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct kernel_prepared prepared;
        struct batch_time time;
        struct told told = {.side = 7};
        char text[512] = "";
        open_and_prepare(cases[i].script, &prepared);
        host_client_set_on_killed(note_killed, &told);
        if (cases[i].signal) kill(host_pid(host), cases[i].signal);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        assert_int_equal(run_once(&time, text, sizeof text), HOST_GONE_STATUS);
        host_client_set_on_killed(NULL, NULL);
        assert_int_equal(told.count, cases[i].told);
        if (told.count) assert_int_equal(told.side, 0);
        if (told.count) assert_non_null(strstr(told.sentence, "killed by signal "));
        if (told.count) assert_string_equal(told.sentence, text);
        host_close(host);
    }
}

static void count_looks(void *arg) {
    ++*(int *)arg;
}

// A host that does not answer is waited for: control's limit ends the judge. Meanwhile the judge looks
// around.
static void test_silence(void **state) {
    (void)state;
    struct kernel_prepared prepared;
    struct batch_time time;
    char text[512] = "";
    int looks = 0;
    open_and_prepare("silent", &prepared);
    host_client_set_watch(count_looks, &looks);
    assert_int_equal(run_once(&time, text, sizeof text), ASSAY_OK);
    host_client_set_watch(NULL, NULL);
    assert_true(looks >= 2); // before the command, and after a second
    assert_true(time.judge_ns > 1400000000);
    host_close(host);
}

static void test_descriptor_limit(void **state) {
    (void)state;
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_true(limit.rlim_cur == limit.rlim_max);
}

int main(int argc, char **argv) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 256) limit.rlim_cur = 256;
    setrlimit(RLIMIT_NOFILE, &limit); // for test_descriptor_limit
    if (played_begin(argc, argv)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_honest),
                                       cmocka_unit_test(test_bad_ends),
                                       cmocka_unit_test(test_too_many_answers),
                                       cmocka_unit_test(test_figures),
                                       cmocka_unit_test(test_prepare_and_load),
                                       cmocka_unit_test(test_bad_goodbyes),
                                       cmocka_unit_test(test_killed_from_outside),
                                       cmocka_unit_test(test_silence),
                                       cmocka_unit_test(test_descriptor_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
