// SPDX-License-Identifier: Apache-2.0
//
// See fork_server.h. What its sides import the server finds out; here is only which files it looked into.
#include "control/exec/fork_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process/clean_environment.h"
#include "base/process/fork_request.h"
#include "base/process/proc.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "control/exec/python_program.h"
#include "control/exec/scratch_folder.h"
#include "record/declared_members.h"

#define PROGRAM "assay_fork_server.py"

static const uint64_t SCAN_LIMIT_NS = UINT64_C(60000000000), IMPORT_LIMIT_NS = UINT64_C(300000000000);

// All that a server is the same for.
struct server_key {
    const char *interpreter, *library, *backend, *processors;
    bool is_apart; // hosts: their environment is not ours
};

struct fork_server {
    struct fork_server *next;
    char *interpreter, *library, *backend, *processors; // as the key's
    bool is_apart;
    struct strbuf files; // callables and folders that were looked into, each with its zero
    char *needs;         // the packages, "torch triton"; "": nothing to be forked
    struct proc *proc;   // NULL: not running
    struct scratch_folder scratch;
    int fd; // our end
};

static struct fork_server *servers; // of this process, until it ends
static char *refusal;               // said once
static bool is_refusal_said, is_forbidden;

// Profilers and sanitizers of GPUs set them for processes that they follow, which they know by exec.
static const char *const followers[] = {"NVIDIA-PROCESS-TRACKING-CONFIGURATION", "CUDA_INJECTION64_PATH",
                                        "NVTX_INJECTION64_PATH"};

// ---- which files ----

static bool has_file(const struct strbuf *files, const char *callable, const char *folder) {
    const char *end = files->text ? files->text + files->length : NULL;
    for (const char *at = files->text; at && at < end;) {
        const char *place = at + strlen(at) + 1;
        if (str_equal(at, callable) && str_equal(place, folder)) return true;
        at = place + strlen(place) + 1;
    }
    return false;
}

static void add_file(struct strbuf *files, const char *callable, const char *folder) {
    if (has_file(files, callable, str_or(folder, ""))) return;
    fork_message_add(files, callable);
    fork_message_add(files, str_or(folder, ""));
}

// Of the order's sides and of its operators' references.
static void add_files(const struct work_order *order, struct strbuf *files) {
    for (size_t i = 0; i < order->side_count; ++i)
        if (order->sides[i].python) add_file(files, order->sides[i].python, order->sides[i].python_path);
    for (size_t i = 0; i < order->operators.declared_count; ++i) {
        const struct declared_reference *reference = &declared_of(order->operators.declared[i])->reference;
        if (!reference->function || !reference->module_path) continue;
        struct arena arena = {0};
        const char *folder;
        const char *callable =
            declared_callable(&arena, reference->module_path, reference->function, &folder);
        add_file(files, callable, folder);
        arena_fini(&arena);
    }
}

static bool has_all(const struct strbuf *files, const struct strbuf *wanted) {
    const char *end = wanted->text + wanted->length;
    for (const char *at = wanted->text; at < end;) {
        const char *place = at + strlen(at) + 1;
        if (!has_file(files, at, place)) return false;
        at = place + strlen(place) + 1;
    }
    return true;
}

// ---- one server ----

static void end(struct fork_server *server) {
    if (server->fd) close(server->fd);
    proc_close(server->proc, NULL, NULL);
    scratch_folder_close(&server->scratch);
    server->proc = NULL;
    server->fd = 0;
}

static void free_server(struct fork_server *server) {
    end(server);
    free(server->interpreter);
    free(server->library);
    free(server->backend);
    free(server->processors);
    free(server->needs);
    strbuf_fini(&server->files);
    free(server);
}

static int start_program(struct fork_server *server, int theirs, struct err *err) {
    char *peers, number[16];
    TRY(python_program_peers(&peers, err));
    char *program = path_join(peers, PROGRAM);
    snprintf(number, sizeof number, "%d", theirs);
    const char *const argv[] = {
        server->interpreter, "-u", program, server->interpreter, server->library, number, server->backend,
        server->processors,  NULL};
    const char *const add[] = {"PYTHONHASHSEED=0", NULL}; // as for workers and hosts
    char **env = server->is_apart ? clean_environment_new(server->scratch.path, add, false) : NULL;
    const struct proc_spec spec = {.argv = argv,
                                   .env = (const char *const *)env,
                                   .env_add = add,
                                   .kept_fds = &theirs,
                                   .kept_fd_count = 1};
    const int code = proc_open(&spec, &server->proc, err);
    clean_environment_free(env);
    free(program);
    free(peers);
    return code;
}

static int start(struct fork_server *server, struct err *err) {
    int ends[2];
    TRY(scratch_folder_open(&server->scratch, err));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "no channel to an interpreter");
    server->fd = ends[0];
    const int theirs = proc_keep_fd(ends[1]);
    const int code = start_program(server, theirs, err);
    close(theirs);
    if (code < 0) return code;
    struct strbuf text = {0};
    strbuf_add_bytes(&text, "", 1); // no head
    strbuf_add_bytes(&text, server->files.text, server->files.length);
    const int sent = fork_message_send(server->fd, 0, &text, NULL, 0);
    strbuf_fini(&text);
    return sent < 0 ? err_set_errno(err, ERR_UNAVAILABLE, "cannot ask an interpreter") : 0;
}

// The next line that begins with the word; what follows it. NULL: there is none.
static char *next_said(struct fork_server *server, const char *word, uint64_t limit_ns, struct strbuf *said) {
    char *line = NULL;
    strbuf_clear(said);
    if (proc_next_line(server->proc, clock_ns() + limit_ns, &line, NULL) <= 0) return NULL;
    if (str_starts(line, word)) return mem_strdup(line + strlen(word));
    strbuf_add_plain(said, line, true);
    return NULL;
}

static bool is_alike(const struct fork_server *server, const struct server_key *key) {
    return str_equal(server->interpreter, key->interpreter) && str_equal(server->library, key->library) &&
           str_equal(server->backend, key->backend) && str_equal(server->processors, key->processors) &&
           server->is_apart == key->is_apart;
}

static bool has_word(const char *words, const char *word, size_t length) {
    for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && strncmp(at, word, length) == 0) return true;
    return false;
}

// Whether it has imported all of them. What has PyTorch may have Triton, too, which does nothing by itself.
static bool has_needs(const struct fork_server *server, const char *needs) {
    if (!*needs || !*server->needs) return str_equal(needs, server->needs);
    for (const char *at = needs; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (!has_word(server->needs, at, strcspn(at, " "))) return false;
    return true;
}

static struct fork_server *find_needs(const struct server_key *key, const char *needs) {
    for (struct fork_server *at = servers; at; at = at->next)
        if (is_alike(at, key) && has_needs(at, needs)) return at;
    return NULL;
}

static void refuse(const char *why) {
    static const char lead[] =
        "kernels in Python start interpreters of their own, since none can be forked: ";
    if (!refusal) refusal = mem_format("%s%s", lead, why);
}

// Its own reason, or why it may have given none; NULL: that is no reason.
static void refuse_as_said(const struct strbuf *said, const char *otherwise) {
    static const char word[] = "refused ";
    if (str_starts(strbuf_text(said), word))
        refuse(strbuf_text(said) + strlen(word));
    else if (otherwise)
        refuse(otherwise);
}

static void import(struct fork_server *server) {
    struct strbuf said = {0};
    char *ready = next_said(server, "ready", IMPORT_LIMIT_NS, &said);
    if (!ready) {
        refuse_as_said(&said, "the interpreter ended while it imported them");
        end(server);
    }
    free(ready);
    strbuf_fini(&said);
}

// A server that has looked into the files and imported what they do, or one that had done so before.
static struct fork_server *make_server(const struct server_key *key, const struct strbuf *files) {
    struct fork_server *server = mem_alloc(sizeof *server);
    struct strbuf said = {0};
    server->interpreter = mem_strdup(key->interpreter);
    server->library = mem_strdup(key->library);
    server->backend = mem_strdup(key->backend);
    server->processors = mem_strdup(key->processors);
    server->is_apart = key->is_apart;
    strbuf_add_bytes(&server->files, files->text, files->length);
    if (start(server, NULL) == 0) server->needs = next_said(server, "needs ", SCAN_LIMIT_NS, &said);
    if (!server->needs) refuse_as_said(&said, NULL);
    strbuf_fini(&said);
    struct fork_server *before = server->needs ? find_needs(key, server->needs) : NULL;
    if (before) {
        strbuf_add_bytes(&before->files, files->text, files->length);
        free_server(server);
        return before;
    }
    server->next = servers;
    servers = server;
    if (!server->needs) server->needs = mem_strdup(""); // no interpreter: the worker says so
    if (*server->needs)
        import(server);
    else
        end(server);
    return server;
}

// ---- of an order ----

static bool may_fork(const struct work_order *order, bool is_apart) {
    switch (order->kind) {
    case WORK_DESCRIBE:
    case WORK_CHECK:
    case WORK_ROUND:
    case WORK_SUPPORTS:
    case WORK_AUDIT:
    case WORK_REFERENCE: break;
    default: return false; // what counts instructions or events starts its own programs
    }
    if (is_forbidden || order->sampling.is_interpreter_fresh || !getenv("ASSAY_FORK")) return false;
    for (size_t i = 0; i < sizeof followers / sizeof *followers; ++i)
        if (getenv(followers[i])) return false;
    const char *path = getenv("PYTHONPATH"); // an interpreter adds it while it starts, a fork would not
    return is_apart || !path || !*path;
}

void fork_servers_end(void) {
    for (struct fork_server *next; servers; servers = next) {
        next = servers->next;
        free_server(servers);
    }
    free(refusal);
    refusal = NULL;
}

void fork_server_forbid(bool is_wanted) {
    is_forbidden = is_wanted;
}

int fork_server_of(const struct work_order *order, const char *interpreter, const char *library,
                   const char **ret_refusal) {
    const struct server_key key = {.interpreter = interpreter,
                                   .library = library,
                                   .backend =
                                       str_starts(str_or(order->device, "cpu"), "cuda") ? "cuda" : "cpu",
                                   .processors = str_or(order->processors, ""),
                                   .is_apart = order->sampling.isolation == ISOLATION_PROCESS};
    struct fork_server *found = NULL;
    struct strbuf files = {0};
    *ret_refusal = NULL;
    if (!may_fork(order, key.is_apart)) return 0;
    add_files(order, &files);
    if (!files.length) return 0;
    for (struct fork_server *at = servers; at && !found; at = at->next)
        if (is_alike(at, &key) && has_all(&at->files, &files)) found = at;
    if (!found) found = make_server(&key, &files);
    strbuf_fini(&files);
    if (refusal && !is_refusal_said && (order->kind == WORK_CHECK || order->kind == WORK_ROUND)) {
        is_refusal_said = true;
        *ret_refusal = refusal;
    }
    return found->fd;
}
