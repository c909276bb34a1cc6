// SPDX-License-Identifier: Apache-2.0
//
// Talking to a worker: the order goes in on standard input, records come on descriptor 3, each record that
// shows progress arms the deadline again, and what the worker printed is kept for the case it dies in.
#include "control/exec/worker_client.h"

#include <assert.h>
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/mem.h"
#include "base/process/outside_kill.h"
#include "control/compile/revision.h"
#include "control/exec/fork_server.h"
#include "control/exec/python_program.h"
#include "control/exec/scratch_folder.h"
#include "record/declared_members.h"

enum { TAIL_LINES_MAX = 3, TAIL_BYTES_MAX = 400 };
static const double CASE_LIMITS_MAX = 20; // a case that shows progress may take this many times case_s in all
static const size_t RECORD_BYTES_MAX = (size_t)256 << 20, RECORDS_MAX = 1000000; // of one worker
// A worker leaves after 5 s in which we stood still; a kernel in its process could use the same exit code.
static const uint64_t LOST_LEAST_NS = 3000000000;
static const double GOODBYE_S = 10; // time to exit for a worker that has said bye

static const char *const *worker_argv; // NULL: our own program

void worker_set_argv(const char *const *argv) {
    worker_argv = argv;
}

struct conversation {
    struct proc *proc;
    const struct worker_limits *limits;
    worker_record_fn on_record;
    void *arg;
    struct worker_end *end;
    uint64_t case_deadline_ns;
    uint64_t case_begin_ns; // when the case in flight began
    uint64_t case_most_ns;  // longest time for a case in all; 0: no limit
    uint64_t end_ns;        // deadline of the whole order, from its number of cases
    uint32_t case_index;    // UINT32_MAX: none yet
    uint32_t begun_mask;    // sides of it that were begun; the last bit: all of them
    uint32_t printing_side; // begun last: of what was printed since
    size_t side_count;
    bool has_outputs; // each side has one of its own
    bool is_in_overtime;
    uint64_t own_bytes; // the most that the worker said it takes itself
    size_t byte_count, record_count;
};

static void arm_deadline(struct conversation *talk, double seconds) {
    talk->case_deadline_ns = seconds > 0 ? clock_ns() + (uint64_t)(seconds * 1e9) : 0;
}

// Progress gives a case more time, but not without limit: a kernel may write records itself, or be slow for
// ever.
static void extend_deadline(struct conversation *talk) {
    arm_deadline(talk, talk->limits->case_s);
    if (!talk->case_most_ns) return;
    uint64_t last_ns = talk->case_begin_ns + talk->case_most_ns;
    if (talk->end_ns < last_ns) last_ns = talk->end_ns;
    talk->is_in_overtime = last_ns < talk->case_deadline_ns;
    if (talk->is_in_overtime) talk->case_deadline_ns = last_ns;
}

// A kernel is not charged with tensors and references. A worker refuses a case that needs more of those than
// the limit, so no record gives more than that.
static void extend_memory(struct conversation *talk, uint64_t own_bytes) {
    const uint64_t limit_bytes = talk->limits->memory_bytes;
    if (own_bytes > limit_bytes) own_bytes = limit_bytes;
    if (own_bytes <= talk->own_bytes) return; // what was freed may be kept for the next case
    talk->own_bytes = own_bytes;
    proc_limit_memory(talk->proc, limit_bytes + own_bytes);
}

static void tail_format(const char *tail, struct strbuf *out);

// What is printed from here on is this side's, or any side's while all are timed. A side that comes back, to
// be released, may still be spoken of for what was printed before.
static void note_side(struct conversation *talk, uint32_t side) {
    const uint32_t bit = 1u << (side < WORK_SIDES_MAX ? side : WORK_SIDES_MAX);
    if (talk->begun_mask & bit) return;
    talk->begun_mask |= bit;
    talk->printing_side = side;
    proc_output_mark(talk->proc);
}

// What a side has printed since it began, and no other: where both print to the same place, only of the side
// that was begun last. The caller frees.
static char *tail_of(const struct conversation *talk, uint32_t side) {
    if (talk->side_count == 1 && side == RECORD_SIDE_ALL) side = 0;
    if (talk->has_outputs && side < talk->side_count) return proc_output_tail(talk->proc, side);
    const bool is_its_own = talk->side_count == 1 || (side == talk->printing_side && side != RECORD_SIDE_ALL);
    return talk->has_outputs || !is_its_own ? mem_strdup("") : proc_output_tail(talk->proc, PROC_OWN_OUTPUT);
}

// A living worker tells how the process of a kernel ended; only this process has read what it printed.
static int pass_crash(struct conversation *talk, const struct record *record, struct err *err) {
    struct record told = *record;
    struct strbuf said = {0}, message = {0};
    char *tail = tail_of(talk, record->side);
    tail_format(tail, &said);
    if (said.length > 0) strbuf_addf(&message, "%s; it printed: %s", record->check.message, said.text);
    if (message.length > 0) snprintf(told.check.message, sizeof told.check.message, "%s", message.text);
    free(tail);
    strbuf_fini(&said);
    strbuf_fini(&message);
    return talk->on_record(talk->arg, &told, err);
}

// Counts the record, moves the deadline, passes the record on. ERR_DATA for what our own worker never does:
// too many records or bytes, or a second hello.
static int receive_record(struct conversation *talk, const struct record *record, size_t length,
                          struct err *err) {
    talk->byte_count += length;
    if (++talk->record_count > RECORDS_MAX || talk->byte_count > RECORD_BYTES_MAX)
        return err_set(err, ERR_DATA, "more than %zu records or %zu bytes", RECORDS_MAX, RECORD_BYTES_MAX);
    talk->end->is_warning_last = record->kind == RECORD_WARNING;
    switch (record->kind) {
    case RECORD_HELLO:
        if (talk->end->has_said_hello) return err_set(err, ERR_DATA, "a second record of kind 'hello'");
        talk->end->has_said_hello = true;
        extend_deadline(talk);
        break;
    case RECORD_CASE:
        extend_memory(talk, record->own_bytes);
        if (talk->case_index != record->case_index) {
            talk->case_index = record->case_index;
            talk->case_begin_ns = clock_ns();
            talk->begun_mask = 0;
        }
        note_side(talk, record->side);
        extend_deadline(talk);
        break;
    case RECORD_CHECK:
    case RECORD_SAMPLES: extend_deadline(talk); break;
    case RECORD_BYE:
        arm_deadline(talk, GOODBYE_S);
        talk->end->has_said_bye = true;
        break;
    default: break;
    }
    if (record->kind == RECORD_CHECK && record->check.outcome == OUTCOME_CRASHED)
        return pass_crash(talk, record, err);
    return talk->on_record(talk->arg, record, err);
}

// Reads records until the worker ends; kills it if it writes a line that is not a proper record.
static int converse(struct conversation *talk, struct err *err) {
    for (;;) {
        char *line = NULL;
        const uint64_t run_ns = talk->limits->run_deadline_ns, case_ns = talk->case_deadline_ns;
        const bool is_run_first = run_ns && (!case_ns || run_ns < case_ns);
        const int got = proc_next_line(talk->proc, is_run_first ? run_ns : case_ns, &line, err);
        if (got <= 0) return got;
        struct arena arena = {0};
        struct record record;
        struct err line_err = {0};
        const size_t length = strlen(line);
        int code = record_parse(line, length, &arena, &record, &line_err);
        if (code >= 0) code = receive_record(talk, &record, length, &line_err);
        arena_fini(&arena);
        if (code >= 0) continue;
        if (line_err.code != ERR_DATA) {
            if (err) *err = line_err;
            return code;
        }
        talk->end->garbage = mem_strdup(line_err.text);
        proc_kill(talk->proc);
        return 0;
    }
}

// The signal of a terminal or a batch system reaches the worker and this process in any order: ours may still
// be on its way.
static bool was_interrupted(const struct proc_status *status) {
    const bool is_asked = status->end == PROC_SIGNALED &&
                          (status->signal == SIGTERM || status->signal == SIGINT || status->signal == SIGHUP);
    if (is_asked && !interrupt_is_set()) clock_sleep_ns(100000000);
    return interrupt_is_set();
}

// Which program a worker is: our own, or an interpreter where a side is written in Python and runs in the
// worker itself.
struct worker_program {
    char *self;
    struct scratch_folder scratch; // for the interpreters that our own program starts
    const char *own_argv[3];
    struct python_argv python;
    struct arena arena;
    const char *const *argv;
    const char *env_add[3]; // of an interpreter
    int fork_server_fd;     // where the worker is forked; 0: it is started afresh
    const char *refusal;    // why not, where that is not usual; NULL
};

static void program_free(struct worker_program *program) {
    free(program->self);
    python_argv_free(&program->python);
    arena_fini(&program->arena);
    scratch_folder_close(&program->scratch);
}

// The worker starts an interpreter for each Python side: *order gets what it needs for that.
static int program_prepare_hosts(struct work_order *order, const char *interpreter,
                                 struct worker_program *program, struct err *err) {
    TRY(python_argv_make(interpreter, &program->python, err));
    TRY(scratch_folder_open(&program->scratch, err));
    order->scratch_dir = program->scratch.path;
    for (size_t i = 0; i < order->side_count; ++i) {
        if (!order->sides[i].python) continue;
        order->sides[i].python_bridge = program->python.bridge;
        order->sides[i].python_library = program->python.library;
    }
    return 0;
}

// A reference in Python runs in a host of its own, which the plan has named all of but the folder.
static int program_prepare_references(struct work_order *order, struct worker_program *program,
                                      struct err *err) {
    bool has_python = false;
    for (size_t i = 0; i < order->operators.declared_count; ++i)
        has_python |= declared_of(order->operators.declared[i])->reference.function != NULL;
    if (!has_python || order->scratch_dir) return 0;
    TRY(scratch_folder_open(&program->scratch, err));
    order->scratch_dir = program->scratch.path;
    return 0;
}

// A package that is installed in place is the user's tree, unless an interpreter knows of which revision its
// sides are.
static int program_name_trees(struct work_order *order, struct worker_program *program, struct err *err) {
    const char *all = NULL;
    for (size_t i = 0; i < order->side_count; ++i) {
        struct work_side *side = &order->sides[i];
        char *tree = side->python_path ? revision_tree_of(side->python_path) : NULL;
        side->python_tree = arena_strdup(&program->arena, tree);
        free(tree);
        if (!side->python_tree) continue;
        if (!file_is_dir(side->python_tree))
            return err_set(err, ERR_DATA,
                           "the work tree of the revision of side '%s' is gone; start a new run",
                           str_or(side->label, ""));
        all = arena_format(&program->arena, "%s%s%s", all ? all : WORK_REVISION_TREES "=", all ? "\n" : "",
                           side->python_tree);
    }
    // Python randomizes the hashes of strings in each process; a fixed seed removes this source of noise.
    program->env_add[0] = "PYTHONHASHSEED=0";
    program->env_add[1] = all;
    return 0;
}

// Of the sides, or of a reference; NULL: no Python.
static const char *interpreter_of(const struct work_order *order) {
    for (size_t i = 0; i < order->side_count; ++i)
        if (order->sides[i].python) return order->sides[i].python_interpreter;
    for (size_t i = 0; i < order->operators.declared_count; ++i) {
        const struct declared_reference *reference = &declared_of(order->operators.declared[i])->reference;
        if (reference->function && reference->python_interpreter) return reference->python_interpreter;
    }
    return NULL;
}

static int program_find_server(const struct work_order *order, struct worker_program *program,
                               struct err *err) {
    struct python_argv python = {0};
    const char *interpreter = interpreter_of(order);
    if (!interpreter) return 0;
    TRY(python_argv_make(interpreter, &python, err));
    program->fork_server_fd = fork_server_of(order, interpreter, python.library, &program->refusal);
    python_argv_free(&python);
    return 0;
}

bool worker_is_forked(const struct work_order *order) {
    struct worker_program program = {0};
    return !worker_argv && program_find_server(order, &program, NULL) == 0 && program.fork_server_fd;
}

static int program_choose(struct work_order *order, struct worker_program *ret, struct err *err) {
    *ret = (struct worker_program){.argv = worker_argv};
    if (worker_argv) return 0;
    const bool is_apart = order->sampling.isolation == ISOLATION_PROCESS;
    const char *interpreter = NULL; // that the plan found, the same for all sides
    for (size_t i = 0; i < order->side_count && !interpreter; ++i) {
        const struct work_side *side = &order->sides[i];
        if (side->python && !side->python_interpreter)
            return err_set(err, ERR_DATA,
                           "side '%s' is the Python callable '%s', but its plan names no interpreter for it; "
                           "start a new run",
                           str_or(side->label, ""), side->python);
        if (side->python) interpreter = side->python_interpreter;
    }
    TRY(program_name_trees(order, ret, err));
    if (interpreter && is_apart) TRY(program_prepare_hosts(order, interpreter, ret, err));
    TRY(program_prepare_references(order, ret, err));
    TRY(program_find_server(order, ret, err));
    ret->self = path_self();
    if (interpreter && !is_apart) {
        order->program = ret->self;
        TRY(python_argv_make(interpreter, &ret->python, err));
        ret->argv = ret->python.argv;
        return 0;
    }
    ret->env_add[0] = NULL;
    ret->own_argv[0] = ret->self;
    ret->own_argv[1] = "worker";
    ret->argv = ret->own_argv;
    return 0;
}

// A pipe for each side: what the process of its kernel prints.
struct outputs {
    size_t count;
    int read_fds[WORK_SIDES_MAX], write_fds[WORK_SIDES_MAX];
};

static_assert(WORK_SIDES_MAX <= PROC_OUTPUTS_MAX, "each side has an output");

static int outputs_open(struct outputs *outputs, struct work_order *order, struct err *err) {
    for (; outputs->count < order->side_count; ++outputs->count) {
        int *read_fd = &outputs->read_fds[outputs->count], *write_fd = &outputs->write_fds[outputs->count];
        if (proc_open_pipe(read_fd, write_fd) < 0)
            return err_set_errno(err, ERR_UNAVAILABLE, "no pipe for what a kernel's process prints");
        order->sides[outputs->count].output_fd = (uint32_t)*write_fd;
    }
    return 0;
}

static int say_refusal(const char *text, worker_record_fn on_record, void *arg, struct err *err) {
    if (!text) return 0;
    const struct record record = {.kind = RECORD_WARNING, .time_ns = clock_ns(), .text = text};
    return on_record(arg, &record, err);
}

int worker_run(const struct work_order *order, const struct worker_limits *limits, worker_record_fn on_record,
               void *arg, struct worker_end *ret_end, struct err *err) {
    struct strbuf text = {0};
    struct worker_program program;
    struct work_order sent = *order;
    sent.sampling.limits.case_s = limits->case_s;
    struct outputs outputs = {0};
    int code = program_choose(&sent, &program, err);
    if (code >= 0 && sent.sampling.isolation == ISOLATION_PROCESS) code = outputs_open(&outputs, &sent, err);
    if (code < 0) {
        for (size_t i = 0; i < outputs.count; ++i) close(outputs.read_fds[i]), close(outputs.write_fds[i]);
        program_free(&program);
        return code;
    }
    work_order_write(&sent, &text);
    const struct proc_spec spec = {
        .argv = program.argv,
        .env_add = program.env_add,
        .leads_session = true,
        .kept_fds = outputs.write_fds,
        .kept_fd_count = outputs.count,
        .more_output_fds = outputs.read_fds,
        .more_output_count = outputs.count,
        .fork_server_fd = program.fork_server_fd,
        .is_server_program = program.argv == program.python.argv,
        .stdin_text = text.text,
        .stdin_length = text.length,
        .memory_limit_bytes = limits->memory_bytes,
    };
    struct worker_end end = {.case_limit_s = limits->case_s, .oom_before = outside_kill_count_oom()};
    struct conversation talk = {.limits = limits,
                                .on_record = on_record,
                                .arg = arg,
                                .end = &end,
                                .side_count = order->side_count,
                                .has_outputs = outputs.count > 0,
                                .printing_side = RECORD_SIDE_ALL,
                                .case_index = UINT32_MAX,
                                .case_begin_ns = clock_ns()};
    if (limits->case_s > 0) {
        const double most_s = CASE_LIMITS_MAX * limits->case_s;
        talk.case_most_ns = (uint64_t)(most_s * 1e9);
        talk.end_ns = talk.case_begin_ns + (uint64_t)(most_s * 1e9 * (double)(order->case_count + 1));
    }
    arm_deadline(&talk, limits->case_s);
    code = say_refusal(program.refusal, on_record, arg, err);
    if (code >= 0) code = proc_open(&spec, &talk.proc, err);
    for (size_t i = 0; i < outputs.count; ++i) close(outputs.write_fds[i]);
    if (code >= 0) {
        proc_on_wait(talk.proc, limits->on_wait, arg);
        code = converse(&talk, err);
        end.case_tail = tail_of(&talk, talk.printing_side);
        end.printed = proc_output_all(talk.proc);
        const bool was_lost = proc_lost_ns(talk.proc) > LOST_LEAST_NS;
        proc_close(talk.proc, &end.status, &end.tail);
        if (code >= 0 && was_interrupted(&end.status)) code = err_set(err, ERR_CANCELLED, "interrupted");
        end.was_killed = !end.garbage && outside_kill_is_likely(&end.status);
        if (talk.is_in_overtime) end.case_limit_s *= CASE_LIMITS_MAX;
        end.is_overtime = talk.is_in_overtime && end.status.end == PROC_TIMEOUT;
        end.has_left = was_lost && end.status.end == PROC_EXITED && end.status.exit_code == WORK_LEFT_EXIT;
        end.is_run_over = end.status.end == PROC_TIMEOUT && limits->run_deadline_ns &&
                          clock_ns() >= limits->run_deadline_ns;
    }
    program_free(&program);
    strbuf_fini(&text);
    if (code < 0) {
        worker_end_fini(&end);
        return code;
    }
    *ret_end = end;
    return 0;
}

void worker_end_fini(struct worker_end *end) {
    free(end->garbage);
    free(end->tail);
    free(end->case_tail);
    free(end->printed);
    *end = (struct worker_end){0};
}

// The last lines of what was printed, made plain, on one line; "" when nothing was.
static void tail_format(const char *tail, struct strbuf *out) {
    size_t end = tail ? strlen(tail) : 0;
    while (end > 0 && isspace((unsigned char)tail[end - 1])) --end;
    size_t start = end;
    for (int lines = 0; start > 0 && end - start < TAIL_BYTES_MAX; --start) {
        if (tail[start - 1] == '\n' && ++lines == TAIL_LINES_MAX) break;
    }
    while (start < end && ((unsigned char)tail[start] & 0xc0) == 0x80) ++start; // not inside a character
    if (start == end) return;
    char *kept = mem_format("%.*s", (int)(end - start), tail + start), *rest = kept;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (line != kept) strbuf_add(out, " | ");
        strbuf_add_plain(out, line, true);
    }
    free(kept);
}

static void add_tail(const char *tail, struct strbuf *out) {
    struct strbuf said = {0};
    tail_format(tail, &said);
    if (said.length > 0) strbuf_addf(out, "; it printed: %s", said.text);
    strbuf_fini(&said);
}

void worker_end_format(const struct worker_end *end, struct strbuf *out) {
    if (end->garbage) {
        strbuf_addf(out, "wrote something that is no record to the worker's descriptor (%.200s)",
                    end->garbage);
    } else if (end->status.end == PROC_OVER_MEMORY) {
        strbuf_add(out, "used more memory than limits.memory_gb allows");
    } else if (end->is_overtime) {
        strbuf_addf(out,
                    "not finished after %g s, %g times limits.case_s, though no single call took longer than "
                    "that: raise limits.case_s, or choose a smaller problem",
                    end->case_limit_s, CASE_LIMITS_MAX);
    } else if (end->status.end == PROC_TIMEOUT) {
        strbuf_addf(out, "did not finish within the limit of %g s for one call (limits.case_s)",
                    end->case_limit_s);
    } else {
        proc_status_format(&end->status, out);
        if (!end->is_after_results) strbuf_add(out, " before the case was finished");
        if (end->was_killed) outside_kill_add_oom(&end->status, end->oom_before, out);
    }
    add_tail(end->case_tail, out);
}

static enum err_code code_of_exit(int exit_code) {
    for (int code = 1; code < ERR_COUNT; ++code) {
        if (err_exit_code((enum err_code)code) == exit_code && exit_code >= 64 && exit_code <= 78) {
            return (enum err_code)code;
        }
    }
    return ERR_NONE;
}

bool worker_end_has_sentence(const struct worker_end *end) {
    if (end->status.end != PROC_EXITED || code_of_exit(end->status.exit_code) == ERR_NONE) return false;
    return end->tail && strstr(end->tail, "assay: error: ");
}

// After "it": "was killed by signal 8 (Floating point exception); it printed: ...".
static void add_end(const struct worker_end *end, struct strbuf *out) {
    if (end->garbage) {
        strbuf_addf(out, "wrote something that is no record (%.200s)", end->garbage);
    } else {
        if (end->status.end == PROC_SIGNALED) strbuf_add(out, "was ");
        proc_status_format(&end->status, out);
        if (end->was_killed) outside_kill_add_oom(&end->status, end->oom_before, out);
    }
    add_tail(end->tail, out);
}

// A program that is not Python may print binary data.
static bool is_text(const char *tail) {
    for (const unsigned char *at = (const unsigned char *)str_or(tail, ""); *at; ++at)
        if (*at >= 0x7f || (*at < 0x20 && !isspace(*at))) return false;
    return true;
}

// A Python worker says hello before it imports the kernel's module, which tells a failure of the interpreter
// from one of the module.
static enum err_code add_python_end(const struct worker_end *end, const struct work_side *side,
                                    struct strbuf *out) {
    const bool is_over_limit = end->status.end == PROC_TIMEOUT;
    if (!end->has_said_hello) {
        strbuf_addf(out, "'%s' is no Python 3 that can run assay's bridge: it ",
                    str_or(side->python_interpreter, "python3"));
        if (is_over_limit)
            strbuf_addf(out, "said nothing for %g s", end->case_limit_s);
        else
            proc_status_format(&end->status, out);
        if (is_text(end->tail)) add_tail(end->tail, out);
        strbuf_add(out, "; name another interpreter with 'python_interpreter' in the manifest");
        return ERR_UNAVAILABLE;
    }
    if (is_over_limit) {
        strbuf_addf(out, "importing '%s' takes longer than %g s", side->python, end->case_limit_s);
        add_tail(end->tail, out);
    } else {
        strbuf_addf(out, "the worker died while it imported '%s': it ", side->python);
        add_end(end, out);
    }
    strbuf_add(out, "; what does the module do when it is imported?");
    return ERR_DATA;
}

enum outcome worker_end_outcome(const struct worker_end *end) {
    if (end->garbage || end->status.end != PROC_TIMEOUT) return OUTCOME_CRASHED;
    return end->is_overtime ? OUTCOME_NOT_VALID : OUTCOME_TIMEOUT;
}

int worker_end_error(const struct worker_end *end, const struct work_order *order, struct err *err) {
    static const char mark[] = "assay: error: ";
    struct strbuf text = {0};
    const enum err_code said =
        end->status.end == PROC_EXITED ? code_of_exit(end->status.exit_code) : ERR_NONE;
    const struct work_side *python = NULL;
    for (size_t i = 0; i < order->side_count && !python; ++i)
        if (order->sides[i].python) python = &order->sides[i];
    enum err_code code = ERR_INTERNAL;
    const char *sentence = NULL;
    if (said != ERR_NONE && !end->garbage) {
        code = said;
        const char *own = end->tail; // from its last error on: a module may have printed before that
        for (const char *at = end->tail; at && (at = strstr(at, mark)); ++at) own = at;
        tail_format(own, &text);
        sentence = strbuf_text(&text);
        if (str_starts(sentence, mark))
            sentence += strlen(mark);
        else if (str_starts(sentence, "assay: "))
            sentence += strlen("assay: ");
        if (!*sentence) sentence = "the worker gave up without saying why";
    } else if (python) {
        code = add_python_end(end, python, &text);
    } else if (order->side_count > 0) {
        code = ERR_DATA;
        strbuf_add(&text, "the worker died while it loaded ");
        for (size_t i = 0; i < order->side_count; ++i) {
            const struct work_side *side = &order->sides[i];
            strbuf_addf(&text, "%s'%s'", i ? ", " : "",
                        str_or(side->module_path, str_or(side->kernel_name, "?")));
        }
        strbuf_add(&text, ": it ");
        add_end(end, &text);
        strbuf_add(&text, "; does a constructor of the module, or its description, crash, hang or exit?");
    } else {
        strbuf_add(&text, "a worker ended without an answer: it ");
        add_end(end, &text);
    }
    int result = err_set(err, code, "%s", sentence ? sentence : text.text);
    strbuf_fini(&text);
    return result;
}
