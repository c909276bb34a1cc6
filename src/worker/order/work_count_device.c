// SPDX-License-Identifier: Apache-2.0
//
// Counting on a GPU: another worker reads the device's counters, by the order WORK_PROFILE, so that the
// checks and the context of this one are not disturbed. That worker holds the kernel, which could forge what
// is read.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/process/proc.h"
#include "base/str.h"
#include "worker/order/work_count.h"

#define OWN_FUNCTIONS  "assay_" // device kernels of assay itself
#define SAID           "assay: error: "
#define COUNT_LIMIT_NS 600000000000u
enum { ARGUMENTS_MAX = 16, COMMAND_BYTES_MAX = 1 << 16 };

// What the device counts for a metric: the sum of the first, less that of the second (NULL: nothing). A chip
// that lacks the second has nothing to take off.
struct counted_as {
    const char *more, *less;
};

static struct counted_as counted_as(enum metric metric) {
    switch (metric) {
    // Compilers load constants by HFMA2.MMA, which the tensor pipe executes on some chips.
    case METRIC_MATRIX_INSTRUCTIONS:
        return (struct counted_as){"sm__inst_executed_pipe_tensor.sum",
                                   "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"};
    case METRIC_DRAM_BYTES: return (struct counted_as){"dram__bytes.sum", NULL};
    default: return (struct counted_as){"smsp__inst_executed.sum", NULL};
    }
}

// What this worker was started as: assay itself, or an interpreter with its bridge. Texts lie in *ret_text.
static int own_arguments(char **ret_text, const char *ret[ARGUMENTS_MAX], struct err *err) {
    size_t length = 0, count = 0;
    TRY(file_read("/proc/self/cmdline", COMMAND_BYTES_MAX, ret_text, &length, err));
    for (size_t at = 0; at < length && count + 1 < ARGUMENTS_MAX; at += strlen(*ret_text + at) + 1)
        ret[count++] = *ret_text + at;
    ret[count] = NULL;
    return 0;
}

// Adds what this line counted.
static int add_line(const char *line, const struct counted_as *wanted, double *sum, struct err *err) {
    struct arena arena = {0};
    struct record record;
    const int code = record_parse(line, strlen(line), &arena, &record, err);
    const bool is_counted = code == 0 && record.kind == RECORD_COUNTERS &&
                            !str_starts(str_or(record.counters.function, ""), OWN_FUNCTIONS);
    for (size_t i = 0; is_counted && i < record.counters.counter_count; ++i) {
        const struct counter *counter = &record.counters.counters[i];
        if (str_equal(counter->name, wanted->more)) *sum += counter->value;
        if (str_equal(counter->name, wanted->less)) *sum -= counter->value;
    }
    arena_fini(&arena);
    return code;
}

static int fail_with(const struct proc_status *status, char *tail, struct err *err) {
    struct strbuf how = {0};
    char *said = tail ? strstr(tail, SAID) : NULL;
    proc_status_format(status, &how);
    if (said) said[strcspn(said, "\n")] = 0;
    (void)err_set(err, ERR_UNAVAILABLE, "%s", said ? said + strlen(SAID) : strbuf_text(&how));
    strbuf_fini(&how);
    return -ERR_UNAVAILABLE;
}

static int run_worker(const struct proc_spec *spec, const struct counted_as *wanted, double *sum,
                      struct err *err) {
    struct proc *proc = NULL;
    struct proc_status status;
    char *line, *tail = NULL;
    const uint64_t deadline_ns = clock_ns() + COUNT_LIMIT_NS;
    TRY(proc_open(spec, &proc, err));
    int code;
    do {
        code = proc_next_line(proc, deadline_ns, &line, err);
        if (code > 0 && add_line(line, wanted, sum, err) < 0) code = -ERR_DATA;
    } while (code > 0);
    proc_close(proc, &status, &tail);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code != 0))
        code = fail_with(&status, tail, err);
    free(tail);
    return code;
}

int work_count_on_device(const struct work_order *alone, uint64_t *ret, struct err *err) {
    struct work_order order = *alone;
    struct strbuf text = {0};
    const struct counted_as wanted = counted_as(alone->sampling.metric);
    const char *argv[ARGUMENTS_MAX], *names[] = {wanted.more, wanted.less};
    char *words = NULL;
    double sum = 0;
    order.kind = WORK_PROFILE;
    order.counters = names;
    order.counter_count = wanted.less ? 2 : 1;
    TRY(own_arguments(&words, argv, err));
    work_order_write(&order, &text);
    const struct proc_spec spec = {.argv = argv, .stdin_text = text.text, .stdin_length = text.length};
    const int code = run_worker(&spec, &wanted, &sum, err);
    strbuf_fini(&text);
    free(words);
    *ret = sum > 0 ? (uint64_t)sum : 0;
    return code;
}
