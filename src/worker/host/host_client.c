// SPDX-License-Identifier: Apache-2.0
//
// The judge's end of the channel: commands, and how a host came to its end. host_exchange.c: the clock around
// batches.
#include "worker/host/host_client.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/outside_kill.h"
#include "base/process/priority.h"
#include "base/strbuf.h"
#include "record/record.h"
#include "worker/backend/cpu/cpu_state.h"
#include "worker/host/host_answer.h"
#include "worker/host/host_client_internal.h"
#include "worker/host/host_launch.h"
#include "worker/host/host_listing.h"
#include "worker/host/host_process.h"

#define ABORT_EXIT       (128 + SIGABRT)
#define END_LIMIT_NS     UINT64_C(5000000000) // for destructors
#define LINGER_NS        UINT64_C(500000000)  // for a process whose channel has closed
#define MODULE_BYTES_MAX ((size_t)4 << 30)
#define ANSWER_SPIN_NS   UINT64_C(50000000)
#define JUDGE_SLICE_NS   100000             // the least that Linux grants
#define LOOK_US          250000             // while a host is waited for
#define SHORT_NS         UINT64_C(20000000) // in which nobody starts thousands of threads, and stops them

static struct {
    void (*look)(void *arg); // NULL: none
    void *arg;
} watch;

void host_client_set_watch(void (*look)(void *arg), void *arg) {
    watch.look = look;
    watch.arg = arg;
}

static struct {
    void (*tell)(void *arg, uint32_t side, const char *sentence); // NULL: nobody
    void *arg;
} killed;

void host_client_set_on_killed(void (*tell)(void *arg, uint32_t side, const char *sentence), void *arg) {
    killed.tell = tell;
    killed.arg = arg;
}

void host_client_look_around(void) {
    if (watch.look) watch.look(watch.arg);
}

static cpu_set_t all_processors;
const struct host *host_client_busy;

static void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); // else a set of tensors too many says so
}

// Lets the judge run as soon as it is woken, also where threads of a host spin on its processor: one with
// a shorter slice goes first (Linux 6.12; older kernels ignore it).
static void ask_for_short_slices(void) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } attributes = {.size = sizeof attributes, .runtime_ns = JUDGE_SLICE_NS};
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

int host_client_init(struct err *err) {
    ask_for_short_slices();
    raise_descriptor_limit(); // every tensor that is shared has a descriptor
    if (sched_getaffinity(0, sizeof all_processors, &all_processors) < 0) CPU_ZERO(&all_processors);
    return host_judge_begin(err);
}

// ---- the end of a host ----

__attribute__((format(printf, 4, 5))) static int end_with(struct host *host, enum outcome outcome,
                                                          enum finding finding, const char *format, ...) {
    host->is_gone = true;
    host->ending.outcome = outcome;
    host->ending.finding = finding;
    va_list args;
    va_start(args, format);
    vsnprintf(host->ending.message, sizeof host->ending.message, format, args);
    va_end(args);
    return HOST_GONE;
}

// Waits that long for the process to end, else kills it. True: it had to be killed.
static bool end_process(struct host *host, uint64_t limit_ns, struct proc_status *ret) {
    *ret = (struct proc_status){0};
    cpu_state_forget_process(host_process_pid(host->process));
    host_process_end(host->process, limit_ns ? clock_ns() + limit_ns : 0, ret);
    host->process = NULL;
    host_launch_forget(&host->launch);
    if (ret->end == PROC_EXITED && ret->exit_code == ABORT_EXIT) { // host_main.c
        ret->end = PROC_SIGNALED;
        ret->signal = SIGABRT;
    }
    return ret->end == PROC_TIMEOUT;
}

// The process has ended without us. when: "before the case was finished". Who has sent a signal from
// outside is not known, so the one who can try again is told.
static int end_by_itself(struct host *host, const struct proc_status *status, const char *when) {
    struct strbuf text = {0};
    proc_status_format(status, &text);
    strbuf_addf(&text, " %s", when);
    const bool is_outside = outside_kill_is_likely(status);
    if (is_outside) outside_kill_add_oom(status, host->oom_count, &text);
    end_with(host, OUTCOME_CRASHED, FINDING_NONE, "%s", text.text);
    strbuf_fini(&text);
    host->was_killed = is_outside;
    if (is_outside && host->is_loaded && killed.tell)
        killed.tell(killed.arg, host->side, host->ending.message);
    return HOST_GONE;
}

// The channel is closed or the answer is none of a host's: the process is ended, and how it did says why.
static int reap(struct host *host, const char *nonsense) {
    struct proc_status status;
    const bool is_late = end_process(host, nonsense ? 0 : LINGER_NS, &status);
    const char *how = nonsense ? nonsense : "closed the judge's channel";
    snprintf(host->how, sizeof host->how, "%s", how);
    if (nonsense) return end_with(host, OUTCOME_CRASHED, FINDING_NONE, "its process %s", nonsense);
    if (is_late)
        return end_with(host, OUTCOME_CRASHED, FINDING_NONE, "its process closed the judge's channel");
    struct strbuf text = {0};
    proc_status_format(&status, &text);
    snprintf(host->how, sizeof host->how, "%s%s", status.end == PROC_SIGNALED ? "was " : "", text.text);
    strbuf_fini(&text);
    return end_by_itself(host, &status, "before the case was finished");
}

static int end_by_fault(struct host *host, const struct host_answer *answer) {
    char text[256];
    const bool is_input = host_answer_format_fault(answer, text, sizeof text);
    struct proc_status status;
    (void)end_process(host, LINGER_NS, &status);
    return end_with(host, OUTCOME_FAIL, is_input ? FINDING_INPUT_CHANGED : FINDING_OUT_OF_BOUNDS, "%s", text);
}

// A launch has broken the host's device: the sentence is the host's, and nothing else that it says counts.
static int end_by_loss(struct host *host, const struct host_answer *answer) {
    struct proc_status status;
    (void)end_process(host, 0, &status);
    const bool is_address = answer->device_loss == DEVICE_LOSS_ADDRESS;
    return end_with(host, OUTCOME_FAIL, is_address ? FINDING_OUT_OF_BOUNDS : FINDING_LAUNCH_FAILED,
                    "a launch broke the device for its process: %s",
                    *answer->text ? answer->text : "its process says no more");
}

// It would take the numbers that every program of the machine needs for its processes.
static bool has_too_many_tasks(struct host *host) {
    return host_process_count_tasks(host->process) > HOST_TASKS_MAX;
}

static int end_by_count(struct host *host) {
    struct proc_status status;
    snprintf(host->how, sizeof host->how, "had more than %d threads and processes", HOST_TASKS_MAX);
    (void)end_process(host, 0, &status);
    return end_with(
        host, OUTCOME_CRASHED, FINDING_NONE,
        "its process was ended: it had more than %d threads and processes, the most that a kernel "
        "may have (docs/sandbox.md)",
        HOST_TASKS_MAX);
}

static int end_by_limit(struct host *host) {
    struct proc_status status;
    snprintf(host->how, sizeof host->how, "took longer than %g s", (double)host->answer_limit_ns / 1e9);
    (void)end_process(host, 0, &status);
    return end_with(host, OUTCOME_TIMEOUT, FINDING_NONE, "its process was ended: it %s", host->how);
}

// ---- one exchange ----

int host_client_send(struct host *host, struct host_request *request, const struct host_fds *fds) {
    host->number = (uint32_t)dice_u64(&host->numbers);
    request->number = host->number;
    host->asked_ns = clock_ns();
    if (!host->is_running) {
        host_memory_begin(&host->memory);
        host_process_continue(host->process);
    }
    host->is_running = true;
    return host_request_send(host->fd, request, fds);
}

// Ends a host that holds more memory than its limit, before another one lacks it. True: it is gone.
static bool look_at_memory(struct host *host) {
    struct proc_status status;
    struct strbuf text = {0};
    pid_t *pids;
    const size_t count = host_process_list(host->process, &pids);
    if (host_memory_is_beyond(&host->memory, pids, count, &text)) {
        (void)end_process(host, 0, &status);
        end_with(host, OUTCOME_CRASHED, FINDING_NONE, "%s", text.text);
    }
    free(pids);
    strbuf_fini(&text);
    return host->is_gone;
}

// 0 or HOST_GONE. batch: that the answer is about; NULL: none.
int host_client_receive(struct host *host, const struct batch *batch, struct host_answer *ret) {
    int got;
    if (host->is_awake) host_channel_spin(host->fd, ANSWER_SPIN_NS);
    while ((got = host_channel_receive(host->fd, ret, sizeof *ret, NULL, 0)) < 0 && errno == EAGAIN) {
        host_client_look_around();
        if (has_too_many_tasks(host)) return end_by_count(host);
        if (host->answer_limit_ns && clock_ns() - host->asked_ns > host->answer_limit_ns)
            return end_by_limit(host);
        if (host_memory_end(&host->memory) && look_at_memory(host)) return HOST_GONE;
    }
    host->answered_ns = clock_ns();
    host->answered_wait_ns = host_waits_taken_ns(&host->waits);
    // Now, since what is not written when the host says so must not be written while it is being stopped.
    if (batch && batch->on_answer && got > 0) batch->on_answer(batch->arg);
    if (got == 0) return reap(host, NULL);
    if (got < 0) return reap(host, "answered with a packet that is none of a host's");
    if (!host_answer_accept(ret, host->number)) return reap(host, "answered what nobody had asked");
    if (ret->kind == HOST_ANSWER_FAULT) return end_by_fault(host, ret);
    if (ret->device_loss) return end_by_loss(host, ret);
    return 0;
}

// After an exchange: what takes no time can have begun few threads. Else the host is ended.
static bool is_within_limits(struct host *host) {
    if (clock_ns() - host->asked_ns > SHORT_NS && has_too_many_tasks(host)) {
        (void)end_by_count(host);
        return false;
    }
    return !(host_memory_end(&host->memory) && look_at_memory(host));
}

// 0 or HOST_GONE: it has answered and then ended, or does not stop. There is nothing left to be asked then.
int host_client_stop(struct host *host) {
    struct proc_status status;
    if (host->is_held) return 0;
    host->is_running = false;
    if (host_process_stop(host->process, NULL) == 0) return is_within_limits(host) ? 0 : HOST_GONE;
    return reap(host, host_process_has_ended(host->process, &status) ? NULL : "does not stop");
}

static int finish_exchange(struct host *host, struct host_answer *ret) {
    const int code = host_client_receive(host, NULL, ret);
    return code ? code : host_client_stop(host);
}

int host_client_exchange(struct host *host, struct host_request *request, const struct host_fds *fds,
                         struct host_answer *ret) {
    if (host->is_gone) return HOST_GONE;
    // A failed send means that the other end is closed: receiving says so too, and how it ended.
    (void)host_client_send(host, request, fds);
    return finish_exchange(host, ret);
}

// Of commands whose errors are assay's own.
static int pass_error(int code, const struct host_answer *ret, struct err *err) {
    if (code || ret->kind == HOST_ANSWER_DONE) return code;
    const bool is_code = ret->status > ERR_NONE && ret->status < ERR_COUNT;
    return err_set(err, is_code ? (enum err_code)ret->status : ERR_DATA, "%s", ret->text);
}

static int command(struct host *host, struct host_request *request, const struct host_fds *fds,
                   struct host_answer *ret, struct err *err) {
    return pass_error(host_client_exchange(host, request, fds, ret), ret, err);
}

// ---- start ----

static int start_process(struct host *host, uint32_t side, struct err *err) {
    const cpu_set_t *cpus = CPU_COUNT(&all_processors) ? &all_processors : NULL;
    TRY(host_launch(host->order, side, cpus, &host->launch, err));
    host->process = host->launch.process;
    host->fd = host->launch.fd;
    host->is_running = true;
    host->memory.scratch_dir = host->launch.scratch_dir;
    // Without a poll before each answer, which would cost time in a sample.
    const struct timeval look = {.tv_usec = LOOK_US};
    setsockopt(host->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
    cpu_state_own_process(host_process_pid(host->process));
    // It has our nice value already.
    if (host->order->sampling.limits.priority == RUN_PRIORITY_HIGH)
        priority_raise_session(host_process_pid(host->process), getpriority(PRIO_PROCESS, 0));
    return 0;
}

// The process has ended while its kernel was loaded: what of that is to be looked at.
static int load_error(const struct host *host, const struct work_side *side, struct err *err) {
    if (side->python && !host->has_said_hello)
        return err_set(
            err, ERR_UNAVAILABLE,
            "'%s' is no Python 3 that can run assay's bridge: it %s; name another interpreter with "
            "'python_interpreter' in the manifest",
            side->python_interpreter, host->how);
    if (side->python)
        return err_set(err, ERR_DATA,
                       "the worker died while it imported '%s': it %s; what does the module do when it is "
                       "imported?",
                       side->python, host->how);
    return err_set(err, ERR_DATA,
                   "the worker died while it loaded '%s': it %s; does a constructor of the module, or its "
                   "description, crash, hang or exit?",
                   str_or(side->module_path, str_or(side->kernel_name, "?")), host->how);
}

// The process of the side, which has loaded nothing yet.
static int open_process(const struct work_order *order, uint32_t side, struct host **ret, struct err *err) {
    struct host *host = mem_alloc(sizeof *host);
    struct host_request hello = {.command = HOST_HELLO};
    struct host_answer answer;
    host->order = order;
    host->side = side;
    host->oom_count = outside_kill_count_oom();
    host->memory.limit_bytes = host_memory_limit(&order->sampling.limits);
    host_memory_begin(&host->memory);
    host->fd = -1;
    int code = dice_make_secret(&host->numbers, err);
    if (code == 0) code = start_process(host, side, err);
    // An interpreter may be none: it is told from a module that ends the process.
    if (code == 0 && order->sides[side].python) code = command(host, &hello, NULL, &answer, err);
    host->has_said_hello = code == 0;
    if (code == HOST_GONE) code = load_error(host, &order->sides[side], err);
    if (code < 0)
        host_close(host);
    else
        *ret = host;
    return code;
}

// Descriptors of the order and of the module, the latter a sealed copy; the caller closes them. has_module
// of *request says whether there is one.
static int give_code(struct host *host, uint32_t side, struct host_request *request, struct host_fds *fds,
                     struct err *err) {
    const struct work_side *loaded = &host->order->sides[side];
    char hash[SHA256_HEX_BYTES] = "";
    request->side = side;
    fds->items[0] = host_launch_order(host->order, side, host->launch.scratch_dir, err);
    TRY(fds->items[0]);
    ++fds->count;
    if (loaded->module_path) {
        if (!file_exists(loaded->module_path))
            return err_set(err, ERR_NO_INPUT, "cannot load module '%s': no such file", loaded->module_path);
        TRY(host_process_seal_file(loaded->module_path, MODULE_BYTES_MAX, &fds->items[1], hash, err));
        ++fds->count;
        request->has_module = true;
    }
    if (!loaded->module_hash || strcmp(hash, loaded->module_hash) == 0) return 0;
    return err_set(err, ERR_DATA,
                   "module '%s' of side '%s' is not the one that the plan names: its file has changed since; "
                   "start a new run",
                   loaded->module_path, str_or(loaded->label, ""));
}

int host_begin(const struct work_order *order, uint32_t side, struct host **ret, struct err *err) {
    struct host_request request = {.command = HOST_LOAD};
    struct host_fds fds = {0};
    struct host *host;
    TRY(open_process(order, side, &host, err));
    const int code = give_code(host, side, &request, &fds, err);
    if (code == 0) (void)host_client_send(host, &request, &fds); // as in host_client_exchange
    host_fds_close(&fds);
    if (code < 0)
        host_close(host);
    else
        *ret = host;
    return code;
}

// An accelerator's host enqueues by its first thread, its driver's are not waited for; a plain call has one.
static size_t waiting_threads(const struct host *host, const struct device *device) {
    const int available = CPU_COUNT(&all_processors); // 0: not asked for
    if (device->backend->is_accelerator || host->order->sides[host->side].is_plain_call) return 1;
    return host->order->thread_count ? host->order->thread_count : available > 0 ? (size_t)available : 1;
}

int host_complete(struct host *host, const struct device *device, uint32_t side, struct err *err) {
    struct host_answer answer;
    const struct work_side *loaded = &host->order->sides[side];
    const int code = pass_error(finish_exchange(host, &answer), &answer, err);
    if (code == HOST_GONE) return load_error(host, loaded, err);
    if (!device->is_virtual) host_waits_open(&host->waits, host_pid(host), waiting_threads(host, device));
    // A host of compiled code has no way to start processes: stopping it takes no search for them.
    if (code == 0 && !loaded->python) host_process_set_never_forks(host->process);
    host->is_loaded = code == 0;
    if (device->backend->is_accelerator) host->memory.limit_bytes = 0; // as its sandbox has none
    host->may_fork = loaded->python != NULL;
    host->has_hooks = loaded->python && device->backend->is_accelerator;
    return code;
}

void host_set_answer_limit(struct host *host, uint64_t limit_ns) {
    host->answer_limit_ns = limit_ns;
}

bool host_was_killed(const struct host *host) {
    return host->was_killed;
}

pid_t host_pid(const struct host *host) {
    return host->process ? host_process_pid(host->process) : 0;
}

// ---- describing ----

static int describe_once(const struct work_order *order, uint32_t side, const struct host_listing *listing,
                         bool *ret_was_killed, struct err *err) {
    struct host_request request = {.command = HOST_DESCRIBE};
    struct host_fds fds = {0};
    struct host_answer answer;
    struct host *host;
    TRY(open_process(order, side, &host, err));
    int code = give_code(host, side, &request, &fds, err);
    const int file = code == 0 ? memfd_create("assay kernels", MFD_CLOEXEC) : -1;
    if (code == 0 && file < 0) code = err_set_errno(err, ERR_UNAVAILABLE, "no memory for a description");
    if (code == 0) {
        fds.items[fds.count++] = file;
        code = host_client_exchange(host, &request, &fds, &answer);
    }
    if (code == HOST_GONE) code = load_error(host, &order->sides[side], err);
    *ret_was_killed = host->was_killed;
    host_close(host); // no destructor runs: what is wrong with them is found where the kernel is measured
    if (code == 0) code = host_listing_take(file, &answer, listing, err);
    host_fds_close(&fds);
    return code;
}

int host_describe(const struct work_order *order, uint32_t side, kernel_describe_fn on_kernel, void *arg,
                  struct err *err) {
    const struct work_side *described = &order->sides[side];
    const struct host_listing listing = {str_or(described->python, str_or(described->module_path, "?")),
                                         on_kernel, arg};
    bool was_killed = false;
    const int code = describe_once(order, side, &listing, &was_killed, err);
    return was_killed ? describe_once(order, side, &listing, &was_killed, err) : code;
}

// ---- commands ----

int host_prepare(struct host *host, const struct work_case *wanted, struct kernel_prepared *ret,
                 struct err *err) {
    struct host_request request = {.command = HOST_PREPARE, .item = (uint32_t)(wanted - host->order->cases)};
    struct host_answer answer;
    memset(ret, 0, sizeof *ret);
    const int code = command(host, &request, NULL, &answer, err);
    if (code) return code;
    ret->callback = (enum kernel_callback)answer.callback;
    ret->status = answer.status;
    ret->workspace_bytes = (size_t)answer.workspace_bytes;
    ret->has_state = answer.status == ASSAY_OK;
    memcpy(ret->text, answer.text, sizeof ret->text);
    host->is_prepared = true;
    return 0;
}

static struct buffer_window window_of(const struct buffer *buffer) {
    return (struct buffer_window){.bytes = buffer->bytes,
                                  .front_bytes = buffer->front_bytes,
                                  .back_bytes = buffer->back_bytes,
                                  .is_read_only = buffer->is_read_only};
}

int host_map_set(struct host *host, uint32_t number, const struct buffer *const *buffers, uint32_t count,
                 struct err *err) {
    struct host_request request = {.command = HOST_MAP_SET, .item = number, .window_count = count};
    struct host_answer answer;
    struct host_fds fds = {.count = count};
    if (count > HOST_FDS_MAX) return err_set(err, ERR_INTERNAL, "a set of %u tensors", count);
    for (uint32_t i = 0; i < count; ++i) {
        request.windows[i] = window_of(buffers[i]);
        fds.items[i] = buffers[i]->fd;
    }
    return command(host, &request, &fds, &answer, err);
}

int host_map_workspace(struct host *host, const struct buffer *buffer, struct err *err) {
    struct host_request request = {.command = HOST_MAP_WORKSPACE, .window_count = 1};
    struct host_answer answer;
    const struct host_fds fds = {.count = 1, .items = {buffer->fd}};
    request.windows[0] = window_of(buffer);
    return command(host, &request, &fds, &answer, err);
}

static void pass_message(const char *text, struct assay_message *message) {
    if (message && message->capacity) snprintf(message->text, message->capacity, "%s", text);
}

// The kernel's status and sentence. An error of the host's own code cannot happen on what the judge asks, so
// it is the kernel's doing.
int host_client_status(const struct host *host, int code, const struct host_answer *answer,
                       struct assay_message *message) {
    pass_message(code ? host->ending.message : answer->text, message);
    if (code) return HOST_GONE_STATUS;
    return answer->kind == HOST_ANSWER_ERROR ? ASSAY_FAILED : answer->status;
}

int host_keep_inputs(struct host *host, uint32_t number, struct err *err) {
    struct host_request request = {.command = HOST_KEEP_INPUTS, .item = number};
    struct host_answer answer;
    const int code = command(host, &request, NULL, &answer, err);
    return code < 0 ? code : 0;
}

int host_calls_hook(struct host *host, bool is_begin, struct assay_message *message) {
    struct host_request request = {.command = is_begin ? HOST_CALLS_BEGIN : HOST_CALLS_END};
    struct host_answer answer = {0};
    if (!host->has_hooks) return ASSAY_OK; // and nobody is told that single calls follow
    return host_client_status(host, host_client_exchange(host, &request, NULL, &answer), &answer, message);
}

bool host_idle_begin(struct host *host) {
    if (host->is_gone) return false;
    host_memory_begin(&host->memory);
    host_process_continue(host->process);
    return true;
}

void host_idle_end(struct host *host) {
    (void)host_process_stop(host->process, NULL); // the next command finds out if it has ended
    (void)host_memory_end(&host->memory);         // and looks, if need be
}

uint64_t host_cpu_ns(const struct host *host) {
    return host_process_cpu_ns(host->process);
}

int host_tighten(struct host *host, struct err *err) {
    struct host_request request = {.command = HOST_TIGHTEN};
    struct host_answer answer;
    return command(host, &request, NULL, &answer, err);
}

void host_release(struct host *host) {
    struct host_request request = {.command = HOST_RELEASE};
    struct host_answer answer;
    if (host->is_prepared)
        (void)host_client_exchange(host, &request, NULL, &answer); // its end is in host->ending
    host->is_prepared = false;
}

bool host_is_gone(const struct host *host, struct check_result *ret) {
    if (!host->is_gone) return false;
    ret->outcome = host->ending.outcome;
    ret->finding = host->ending.finding;
    memcpy(ret->message, host->ending.message, sizeof ret->message);
    return true;
}

int host_end(struct host *host) {
    struct host_request request = {.command = HOST_END};
    struct proc_status status;
    if (host->is_gone) return HOST_GONE;
    if (!host->process) return 0;
    (void)host_client_send(host, &request, NULL); // the status says how it ended
    if (end_process(host, END_LIMIT_NS, &status))
        return end_with(host, OUTCOME_TIMEOUT, FINDING_NONE,
                        "after its results were written its process did not end within %g s: what does a "
                        "destructor wait for?",
                        (double)END_LIMIT_NS / 1e9);
    if (status.end == PROC_EXITED && status.exit_code == 0) return 0;
    return end_by_itself(host, &status, "after its results were written, in release or in a destructor");
}

void host_close(struct host *host) {
    if (!host) return;
    struct proc_status status;
    if (host->process) (void)end_process(host, 0, &status);
    if (host_client_busy == host) host_client_busy = NULL;
    if (host->fd >= 0) close(host->fd);
    host_waits_fini(&host->waits);
    free(host);
}
