// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in Python, with a struct of callbacks in C instead of an interpreter: sides, states and
// hooks, the results of load, what an order stores of a Python side; the table of peers; finding an
// interpreter.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/compile/variant.h"
#include "control/exec/python_program.h"
#include "control/exec/worker_client.h"
#include "control/plan/peer.h"
#include "gen/assay_config.h"
#include "record/result.h"
#include "record/work_order.h"
#include "worker/module/python_kernel.h"

// ---- an interpreter of ours ----

static struct {
    int find_status;
    size_t loads, finds;
    uint32_t loaded_side, supports_side, prepare_side;
    uint64_t launched, released, began, ended, carried_in, carried_out, call_began, call_ended;
    uint32_t set_count;
    int load_status;
    bool has_no_handle;
    char callable[64], path[64], backend[16];
} seen;

static int load(uint32_t side, const char *callable, const char *path, const char *backend, const char *kinds,
                const char *module, struct assay_message *message) {
    assert_string_equal(kinds, "");
    assert_null(module);
    seen.loaded_side = side;
    ++seen.loads;
    snprintf(seen.callable, sizeof seen.callable, "%s", callable);
    snprintf(seen.path, sizeof seen.path, "%s", path ? path : "(none)");
    snprintf(seen.backend, sizeof seen.backend, "%s", backend);
    if (seen.load_status == ASSAY_OK) return ASSAY_OK;
    return assay_say(message, seen.load_status, "the words of Python");
}

static int supports(uint32_t side, const struct assay_problem *problem, struct assay_message *message) {
    (void)problem;
    seen.supports_side = side;
    return assay_say(message, ASSAY_UNSUPPORTED, "not mine");
}

static int prepare(uint32_t side, const struct assay_problem *problem, const struct assay_env *env,
                   uint64_t *ret_handle, struct assay_message *message) {
    (void)problem, (void)env;
    seen.prepare_side = side;
    *ret_handle = seen.has_no_handle ? 0 : 100 + side;
    return assay_say(message, ASSAY_OK, "Python 3");
}

static int launch(uint64_t handle, const struct assay_tensors *tensors, void *stream,
                  struct assay_message *message) {
    (void)tensors, (void)stream, (void)message;
    seen.launched = handle;
    return ASSAY_OK;
}

static void release(uint64_t handle) {
    seen.released = handle;
}

static int begin(uint64_t handle, void *stream, struct assay_message *message) {
    (void)stream, (void)message;
    seen.began = handle;
    return ASSAY_OK;
}

static int end(uint64_t handle, void *stream, struct assay_message *message) {
    (void)stream, (void)message;
    seen.ended = handle;
    return ASSAY_OK;
}

static int carry_in(uint64_t handle, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                    struct assay_message *message) {
    (void)sets, (void)stream, (void)message;
    seen.carried_in = handle;
    seen.set_count = set_count;
    return ASSAY_OK;
}

static int carry_out(uint64_t handle, const struct assay_tensors *sets, uint32_t set_count, void *stream,
                     struct assay_message *message) {
    (void)sets, (void)set_count, (void)stream;
    seen.carried_out = handle;
    return assay_say(message, ASSAY_FAILED, "no way out");
}

static int call_begin(uint64_t handle, void *stream, struct assay_message *message) {
    (void)stream, (void)message;
    seen.call_began = handle;
    return ASSAY_OK;
}

static int call_end(uint64_t handle, void *stream, struct assay_message *message) {
    (void)stream, (void)message;
    seen.call_ended = handle;
    return ASSAY_OK;
}

static int find(const char *callable, struct assay_message *message) {
    snprintf(seen.callable, sizeof seen.callable, "%s", callable);
    ++seen.finds;
    return assay_say(message, seen.find_status,
                     seen.find_status == ASSAY_OK ? "2.11.0" : "the words of Python");
}

static const struct python_callbacks callbacks = {.struct_size = sizeof callbacks,
                                                  .load = load,
                                                  .supports = supports,
                                                  .prepare = prepare,
                                                  .launch = launch,
                                                  .release = release,
                                                  .capture_begin = begin,
                                                  .capture_end = end,
                                                  .outputs_in = carry_in,
                                                  .outputs_out = carry_out,
                                                  .call_begin = call_begin,
                                                  .call_end = call_end,
                                                  .find = find};

static int with_interpreter(void **state) {
    (void)state;
    memset(&seen, 0, sizeof seen);
    python_kernel_set_callbacks(&callbacks);
    return 0;
}

static int without_interpreter(void **state) {
    (void)state;
    python_kernel_set_callbacks(NULL);
    return 0;
}

// ---- kernels ----

static int make(const char *callable, const char *path, const char *backend, uint32_t number,
                struct kernel *ret, struct err *err) {
    const struct work_side side = {.python = callable, .python_path = path};
    const struct kernel_source source = {&side, number, operator_find(&operators_compiled, "attention")};
    *ret = (struct kernel){0};
    return python_kernel_make(&source, backend, ret, err);
}

static struct kernel made(const char *callable, const char *path, const char *backend, uint32_t number) {
    struct err err = {0};
    struct kernel kernel;
    if (make(callable, path, backend, number, &kernel, &err) < 0) fail_msg("%s", err.text);
    return kernel;
}

static int refused(const char *callable, struct err *err) {
    struct kernel kernel;
    const int code = make(callable, NULL, "cpu", 0, &kernel, err);
    assert_null(kernel.abi);
    return code;
}

static void test_kernel_knows_its_side(void **state) {
    (void)state;
    struct kernel first = made("m:f", NULL, "cpu", 1), kernel = made("m.n:g", "/x", "cuda", 6);
    assert_string_equal(kernel.abi->name, "m.n:g");
    assert_string_equal(kernel.abi->backend, "cuda");
    assert_string_equal(kernel.abi->op, "attention");
    assert_string_equal(first.abi->name, "m:f");
    assert_string_equal(seen.path, "/x");
    assert_int_equal(seen.loaded_side, 6);
    char text[64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    assert_int_equal(kernel.maker->supports(kernel.self, NULL, &message), ASSAY_UNSUPPORTED);
    assert_string_equal(text, "not mine");
    assert_int_equal(seen.supports_side, 6);
    assert_int_equal(first.maker->supports(first.self, NULL, &message), ASSAY_UNSUPPORTED);
    assert_int_equal(seen.supports_side, 1);
    void *prepared = NULL;
    size_t workspace_bytes = 0;
    assert_int_equal(kernel.maker->prepare(kernel.self, NULL, NULL, &prepared, &workspace_bytes, &message),
                     ASSAY_OK);
    assert_int_equal(seen.prepare_side, 6);
    assert_int_equal(workspace_bytes, 0);
    assert_int_equal(kernel.abi->launch(prepared, NULL, NULL, NULL, &message), ASSAY_OK);
    assert_int_equal(seen.launched, 106);
    kernel.abi->release(prepared);
    assert_int_equal(seen.released, 106);
    kernel_fini(&first);
    kernel_fini(&kernel);
    assert_null(kernel.abi);
}

static void test_hooks_get_the_handle(void **state) {
    (void)state;
    struct kernel kernel = made("m:f", NULL, "cuda", 0);
    const struct batch_hooks *hooks = kernel.maker->hooks;
    assert_non_null(hooks);
    void *handle = (void *)(uintptr_t)100;
    char text[64] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    assert_int_equal(hooks->capture_begin(handle, NULL, &message), ASSAY_OK);
    assert_int_equal(hooks->capture_end(handle, NULL, &message), ASSAY_OK);
    assert_int_equal(hooks->outputs_in(handle, NULL, 3, NULL, &message), ASSAY_OK);
    assert_int_equal(hooks->outputs_out(handle, NULL, 3, NULL, &message), ASSAY_FAILED);
    assert_string_equal(text, "no way out");
    assert_int_equal(hooks->call_begin(handle, NULL, &message), ASSAY_OK);
    assert_int_equal(seen.call_began, 100);
    assert_int_equal(seen.call_ended, 0);
    assert_int_equal(hooks->call_end(handle, NULL, &message), ASSAY_OK);
    assert_int_equal(seen.call_ended, 100);
    assert_int_equal(seen.began, 100);
    assert_int_equal(seen.ended, 100);
    assert_int_equal(seen.carried_in, 100);
    assert_int_equal(seen.set_count, 3);
    assert_int_equal(seen.carried_out, 100);
    kernel_fini(&kernel);
}

static void test_load_answers_become_errors(void **state) {
    (void)state;
    static const struct {
        int status;
        enum err_code code;
    } cases[] = {{PYTHON_LOAD_UNKNOWN, ERR_USAGE},
                 {PYTHON_LOAD_INCOMPLETE, ERR_UNAVAILABLE},
                 {PYTHON_LOAD_RAISED, ERR_DATA},
                 {ASSAY_FAILED, ERR_DATA}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct err err = {0};
        seen.load_status = cases[i].status;
        assert_int_equal(refused("m:f", &err), -(int)cases[i].code);
        assert_non_null(strstr(err.text, "m:f"));
        assert_non_null(strstr(err.text, "the words of Python"));
    }
}

// A callback that raises where nothing can say so answers what C reads as success.
static void test_prepared_without_a_handle_is_a_failure(void **state) {
    (void)state;
    struct kernel kernel = made("m:f", NULL, "cpu", 0);
    char text[128] = "";
    struct assay_message message = {.capacity = sizeof text, .text = text};
    void *prepared = NULL;
    size_t workspace_bytes = 0;
    seen.has_no_handle = true;
    assert_int_equal(kernel.maker->prepare(kernel.self, NULL, NULL, &prepared, &workspace_bytes, &message),
                     ASSAY_FAILED);
    assert_non_null(strstr(text, "gives no handle"));
    kernel_fini(&kernel);
}

// Importing PyTorch takes seconds: a question about assay's own peers does without, one about a module of the
// user's cannot.
static void test_peers_are_described_without_their_import(void **state) {
    (void)state;
    struct err err = {0};
    struct kernel peer = {0};
    const struct work_side own = {.python = "torch_sdpa:own"},
                           theirs = {.python = "m:f", .python_path = "/x"};
    const struct operator_def *op = operator_find(&operators_compiled, "attention");
    const struct kernel_source source = {&own, 2, op}, their_source = {&theirs, 2, op};
    assert_int_equal(python_kernel_describe(&source, "cuda", &peer, &err), 0);
    assert_string_equal(peer.abi->name, "torch_sdpa:own");
    assert_string_equal(peer.abi->backend, "cuda");
    assert_int_equal(seen.loads, 0);
    assert_int_equal(seen.finds, 1);
    assert_string_equal(python_kernel_version(&peer), "2.11.0");
    kernel_fini(&peer);
    assert_int_equal(python_kernel_describe(&their_source, "cuda", &peer, &err), 0);
    assert_string_equal(python_kernel_version(&peer), "");
    assert_int_equal(seen.loads, 1);
    assert_int_equal(seen.finds, 1);
    kernel_fini(&peer);
    seen.find_status = PYTHON_LOAD_INCOMPLETE;
    assert_int_equal(python_kernel_describe(&source, "cuda", &peer, &err), -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, "the words of Python"));
}

static void test_no_interpreter(void **state) {
    (void)state;
    struct err err = {0};
    assert_int_equal(refused("m:f", &err), -ERR_UNAVAILABLE);
}

// ---- what an order and a result keep ----

static void test_order_keeps_python_side(void **state) {
    (void)state;
    struct work_order order = {.kind = WORK_DESCRIBE, .device = "cpu", .side_count = 2};
    order.sampling = sampling_default();
    order.sides[0] = (struct work_side){.label = "c", .kernel_name = "naive"};
    order.sides[1] = (struct work_side){.label = "p",
                                        .python = "kern.fa:forward",
                                        .python_path = "/a folder",
                                        .python_interpreter = "/opt/python3",
                                        .python_bridge = "/share/assay_bridge.py",
                                        .python_library = "/lib/libassay_worker.so"};
    order.scratch_dir = "/tmp/assay-scratch-a";
    order.may_lack_sandbox = true;
    struct strbuf text = {0};
    struct arena arena = {0};
    struct work_order read;
    struct err err = {0};
    work_order_write(&order, &text);
    assert_int_equal(work_order_parse(text.text, text.length, &arena, &read, &err), 0);
    assert_null(read.sides[0].python);
    assert_string_equal(read.sides[1].python, "kern.fa:forward");
    assert_string_equal(read.sides[1].python_path, "/a folder");
    assert_string_equal(read.sides[1].python_interpreter, "/opt/python3");
    assert_string_equal(read.sides[1].python_bridge, "/share/assay_bridge.py");
    assert_string_equal(read.sides[1].python_library, "/lib/libassay_worker.so");
    assert_string_equal(read.scratch_dir, "/tmp/assay-scratch-a");
    assert_true(read.may_lack_sandbox);
    arena_fini(&arena);
    strbuf_fini(&text);
}

static void test_side_is_copied_whole(void **state) {
    (void)state;
    struct arena arena = {0};
    char callable[] = "m:f", path[] = "/x", interpreter[] = "/python3", source[] = "0f";
    struct result_side side = {.role = SIDE_PEER,
                               .label = "m:f",
                               .python = callable,
                               .python_path = path,
                               .python_interpreter = interpreter,
                               .build = build_report_unknown()};
    side.build.source_hash = source;
    const struct result_side copy = result_side_copy(&arena, &side);
    callable[0] = path[0] = interpreter[0] = source[0] = '?';
    assert_string_equal(copy.build.source_hash, "0f");
    assert_string_equal(copy.python, "m:f");
    assert_string_equal(copy.python_path, "/x");
    assert_string_equal(copy.python_interpreter, "/python3");
    arena_fini(&arena);
}

// It is written into a document and read from it; it is no hash of machine code.
static void test_source_hash_travels(void **state) {
    (void)state;
    struct arena arena = {0};
    struct result_side side = {
        .role = SIDE_PEER, .label = "m:f", .python = "m:f", .build = build_report_unknown()};
    side.build.compiler = "Python source";
    side.build.source_hash = "0f";
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 2);
    members_write_object(&w, NULL, &result_side_members, &side, NULL);
    struct result_side read = {0};
    struct err err = {0};
    json_t *root = NULL;
    assert_int_equal(json_read_text(text.text, text.length, "a side", &root, &err), 0);
    const struct json_at at = {root, "a side"};
    assert_int_equal(members_read(&at, &result_side_members, &arena, &read, NULL, &err), 0);
    assert_string_equal(read.build.source_hash, "0f");
    assert_null(read.build.code_hash);
    assert_string_equal(build_report_version(&read.build), "0f");
    read.build.code_hash = "1f";
    assert_string_equal(build_report_version(&read.build), "1f");
    json_decref(root);
    strbuf_fini(&text);
    arena_fini(&arena);
}

// A plan names the interpreter that it found: another one would measure something else.
static void test_side_without_interpreter_is_refused(void **state) {
    (void)state;
    struct work_order order = {.kind = WORK_DESCRIBE, .device = "cpu", .side_count = 1};
    order.sampling = sampling_default();
    order.sides[0] = (struct work_side){.label = "p", .python = "kern.fa:forward"};
    const struct worker_limits limits = {.case_s = 10};
    struct worker_end end;
    struct err err = {0};
    assert_int_equal(worker_run(&order, &limits, NULL, NULL, &end, &err), -ERR_DATA);
    assert_non_null(strstr(err.text, "'kern.fa:forward'"));
    assert_non_null(strstr(err.text, "interpreter"));
}

// ---- peers ----

static void test_peers_by_name_and_device(void **state) {
    (void)state;
    const struct operator_def *attention = operator_find(&operators_compiled, "attention"), *of;
    const struct op_peer *peer;
    for (size_t i = 0; (peer = operator_peer_at(&operators_compiled, i, &of)); ++i) {
        assert_ptr_equal(peer_find(of, peer->name), peer);
        assert_string_equal(peer_find(NULL, peer->name)->name, peer->name);
    }
    assert_null(peer_find(NULL, "torch:fla"));
    assert_string_equal(peer_find(attention, "torch:flash@2.11")->name, "torch:flash");
    assert_null(peer_find(NULL, "torch:flash@"));
    assert_string_equal(peer_wanted_version("torch:flash@2.11"), "2.11");
    assert_null(peer_wanted_version("torch:flash"));
    assert_null(peer_wanted_version("mine@2"));
    assert_null(peer_find(attention, NULL));
    assert_null(peer_find(operator_find(&operators_compiled, "scale"), "torch"));
    assert_true(peer_runs_on(peer_find(attention, "torch"), "cpu"));
    assert_true(peer_runs_on(peer_find(attention, "torch"), "cuda"));
    assert_false(peer_runs_on(peer_find(attention, "torch:cudnn"), "cpu"));
    assert_false(peer_runs_on(peer_find(attention, "torch"), "sim"));
    assert_false(peer_runs_on(peer_find(attention, "torch"), "cp"));
    assert_null(peer_find(attention, "cudnn")->python);
    char names[256];
    peer_format_names(attention, "cpu", names, sizeof names);
    assert_string_equal(names, "torch, torch:flash, torch:math");
    peer_format_names(NULL, NULL, names, 12); // cut, never past the end
    assert_string_equal(names, "torch, torc");
    peer_format_names(NULL, "sim", names, sizeof names);
    assert_string_equal(names, "");
}

static void test_callables_are_told_from_other_names(void **state) {
    (void)state;
    static const char *const are[] = {"m:f",   "kern.fa:forward", "a.b.c:D.e",    "_m:_f",
                                      "m2:f3", "m:f(x)",          "a.b:c.d(y, x)"};
    static const char *const are_not[] = {
        "m",    "git:HEAD", "torch:flash", "torch:nothing", ":f",    "m:",    "2m:f",    "m:f:g", "m.:f",
        "m:.f", "m-n:f",    "a b:c",       "assay:simd",    "m:f()", "m:f(x", "m:f(x)y", "m(x):f"};
    for (size_t i = 0; i < sizeof are / sizeof *are; ++i) assert_true(peer_is_callable(are[i]));
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; ++i) assert_false(peer_is_callable(are_not[i]));
}

// ---- the interpreter ----

static char *make_program(const char *dir, const char *relative) {
    char *path = path_join(dir, relative), *folder = path_dir(path), *command = NULL;
    struct err err = {0};
    assert_int_equal(file_make_dirs(folder, &err), 0);
    assert_int_equal(file_write_atomic(path, "#!/bin/sh\n", 10, &err), 0);
    command = mem_format("chmod +x '%s'", path);
    assert_int_equal(system(command), 0);
    free(command);
    free(folder);
    return path;
}

static void expect_found(const char *named, const char *dir, const char *expected) {
    char *found = NULL;
    struct err err = {0};
    const int code = python_program_find(named, dir, &found, &err);
    if (expected) {
        assert_int_equal(code, 0);
        assert_string_equal(found, expected);
    } else {
        assert_int_equal(code, -ERR_UNAVAILABLE);
        assert_non_null(strstr(err.text, "python_interpreter"));
    }
    free(found);
}

static void test_interpreter_is_looked_for_in_order(void **state) {
    (void)state;
    char dir[] = "/tmp/assay_test_python_XXXXXX";
    assert_non_null(mkdtemp(dir));
    char *path_before = mem_strdup(getenv("PATH") ? getenv("PATH") : "");
    char *named = make_program(dir, "mine/python"), *environment = make_program(dir, "venv/bin/python3"),
         *on_path = make_program(dir, "bin/python3");
    char *bin = path_join(dir, "bin"), *venv = path_join(dir, "venv");
    setenv("PATH", bin, 1);
    setenv("VIRTUAL_ENV", venv, 1);
    expect_found("mine/python", dir, named);
    expect_found("python3", dir, on_path);
    expect_found("other/python", dir, NULL);
    expect_found(NULL, dir, environment);
    setenv("VIRTUAL_ENV", dir, 1); // any folder with bin/python3 is one
    expect_found(NULL, dir, on_path);
    setenv("VIRTUAL_ENV", "/nowhere", 1);
    expect_found(NULL, dir, NULL);
    unsetenv("VIRTUAL_ENV");
    expect_found(NULL, dir, on_path);
    setenv("PATH", "/nowhere", 1);
    expect_found(NULL, dir, NULL);
    setenv("PATH", path_before, 1);
    assert_int_equal(file_remove_tree(dir, NULL), 0);
    char *const texts[] = {path_before, named, environment, on_path, bin, venv};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) free(texts[i]);
}

// A build with the sanitizers has no library: it must say where it looked.
static void test_missing_library_names_every_place(void **state) {
    (void)state;
    struct python_argv argv;
    struct err err = {0};
    const int code = python_argv_make("/python3", &argv, &err);
    if (code == 0) {
        assert_string_equal(argv.argv[0], "/python3");
        assert_string_equal(path_base(argv.argv[3]), "libassay_worker.so");
        python_argv_free(&argv);
        return;
    }
    assert_int_equal(code, -ERR_UNAVAILABLE);
    assert_non_null(strstr(err.text, ASSAY_BUILD_DIR));
    assert_non_null(strstr(err.text, "/tests,")); // beside the program
}

static void test_peers_folder_is_found(void **state) {
    (void)state;
    char *dir = NULL;
    struct err err = {0};
    assert_int_equal(python_program_peers(&dir, &err), 0);
    char *bridge = path_join(dir, "assay_bridge.py");
    assert_true(file_exists(bridge));
    free(bridge);
    free(dir);
}

// ---- its code ----

static void write_text(const char *dir, const char *relative, const char *text) {
    char *path = path_join(dir, relative), *folder = path_dir(path);
    struct err err = {0};
    assert_int_equal(file_make_dirs(folder, &err), 0);
    assert_int_equal(file_write_atomic(path, text, strlen(text), &err), 0);
    free(folder);
    free(path);
}

static const char *hash_of(const char *callable, const char *dir, struct arena *arena) {
    const struct manifest_kernel kernel = {
        .name = "k", .op = "attention", .backend = "cpu", .python = callable};
    const struct variant_request request = {.kernel = &kernel, .dir = dir};
    struct variant variant = {0};
    struct err err = {0};
    assert_int_equal(variant_build(&request, 1, arena, &variant, &err), 0);
    assert_null(variant.module_path);
    assert_null(variant.report.code_hash); // of machine code, and there is none
    return variant.report.source_hash;
}

// Nothing is built; the hash is that of a package's sources, or of the one file.
static void test_code_is_hashed_by_its_source(void **state) {
    (void)state;
    char dir[] = "/tmp/assay_test_python_XXXXXX";
    struct arena arena = {0};
    assert_non_null(mkdtemp(dir));
    write_text(dir, "kern/fa.py", "import kern.parts\n");
    write_text(dir, "kern/parts.py", "X = 1\n");
    write_text(dir, "alone.py", "X = 1\n");
    const char *package = hash_of("kern.fa:f", dir, &arena), *file = hash_of("alone:f", dir, &arena);
    assert_non_null(package);
    assert_non_null(file);
    assert_string_equal(hash_of("kern.fa:f", dir, &arena), package);
    assert_string_not_equal(hash_of("kern.fa:g", dir, &arena), package);
    write_text(dir, "kern/notes.txt", "not code\n");
    assert_string_equal(hash_of("kern.fa:f", dir, &arena), package);
    write_text(dir, "kern/parts.py", "X = 2\n");
    assert_string_not_equal(hash_of("kern.fa:f", dir, &arena), package);
    assert_string_equal(hash_of("alone:f", dir, &arena), file);
    write_text(dir, "alone.py", "X = 2\n");
    assert_string_not_equal(hash_of("alone:f", dir, &arena), file);
    assert_null(hash_of("elsewhere:f", dir, &arena)); // installed, or missing: its import will tell
    arena_fini(&arena);
    assert_int_equal(file_remove_tree(dir, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kernel_knows_its_side, with_interpreter, without_interpreter),
        cmocka_unit_test_setup_teardown(test_hooks_get_the_handle, with_interpreter, without_interpreter),
        cmocka_unit_test_setup_teardown(test_load_answers_become_errors, with_interpreter,
                                        without_interpreter),
        cmocka_unit_test_setup_teardown(test_prepared_without_a_handle_is_a_failure, with_interpreter,
                                        without_interpreter),
        cmocka_unit_test_setup_teardown(test_peers_are_described_without_their_import, with_interpreter,
                                        without_interpreter),
        cmocka_unit_test_setup(test_no_interpreter, without_interpreter),
        cmocka_unit_test(test_order_keeps_python_side),
        cmocka_unit_test(test_side_is_copied_whole),
        cmocka_unit_test(test_source_hash_travels),
        cmocka_unit_test(test_side_without_interpreter_is_refused),
        cmocka_unit_test(test_missing_library_names_every_place),
        cmocka_unit_test(test_peers_by_name_and_device),
        cmocka_unit_test(test_callables_are_told_from_other_names),
        cmocka_unit_test(test_interpreter_is_looked_for_in_order),
        cmocka_unit_test(test_peers_folder_is_found),
        cmocka_unit_test(test_code_is_hashed_by_its_source),
    };
    return cmocka_run_group_tests_name("python_kernel", tests, NULL, NULL);
}
