// SPDX-License-Identifier: Apache-2.0
//
// See solution_build.h. What it is built with, the interpreter says (peers/assay_extension.py), once outside
// of the sandbox; what the sources make of that is a stranger's, and only the library is taken from there.
#include "control/flow/solution_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process/clean_environment.h"
#include "base/sha256.h"
#include "control/compile/confined_command.h"
#include "control/compile/tool/build_tool.h"
#include "control/compile/tool/elf_file.h"
#include "control/exec/python_program.h"

#define FOLDER       "extensions" // of the cache
#define FOLDER_BYTES 16           // of its name's hash
#define NAME_BYTES   12           // of the extension's name's hash
#define QUERY_NS     (UINT64_C(60) * 1000000000)
#define BUILD_NS     (UINT64_C(900) * 1000000000)
#define MODULE       "assay_solution"
#define MACHINERY    "1" // changes with how it is built
#define READ_PATHS   60
#define ABOUT_LINES  3 // what it is built with, GPU targets, the CUDA toolkit; then paths

struct extension {
    struct arena *arena;
    struct dataset_kernel *solution;
    const char *interpreter, *script;
    const char *language;
    const char *about[ABOUT_LINES];
    const char *paths[READ_PATHS + 2]; // what the build reads
    size_t path_count;
    const char *name, *dir; // of the module; the folder in the cache
};

static const char *kept(struct arena *arena, char *text) {
    const char *ret = arena_strdup(arena, text);
    free(text);
    return ret;
}

static int fail(const struct extension *extension, enum err_code code, const struct strbuf *said,
                struct err *err) {
    err_set(err, code, "the solution '%s' does not build:", extension->solution->kernel.name);
    return err_add_lines(err, log_tail(strbuf_text(said), BUILD_LOG_BYTES));
}

static void take_line(struct extension *extension, size_t number, const char *line, size_t length) {
    const char *text = arena_strndup(extension->arena, line, length);
    if (number < ABOUT_LINES)
        extension->about[number] = text;
    else if (extension->path_count < READ_PATHS && *text == '/')
        extension->paths[extension->path_count++] = text;
}

// What it is built with. That also says which build in the cache is this one.
static int ask(struct extension *extension, struct err *err) {
    const char *const argv[] = {extension->interpreter, extension->script, "about", extension->language,
                                NULL};
    char **env = clean_environment_new(NULL, NULL, false);
    const struct proc_spec spec = {.argv = argv, .env = (const char *const *)env, .timeout_ns = QUERY_NS};
    struct proc_status status;
    struct strbuf out = {0}, said = {0};
    size_t number = 0;
    int code = proc_run_split(&spec, &status, &out, &said, err);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code))
        code = err_set(err, ERR_UNAVAILABLE, "the solution '%s': %.*s", extension->solution->kernel.name,
                       (int)strcspn(strbuf_text(&said), "\n"), strbuf_text(&said));
    for (const char *line = strbuf_text(&out); code == 0 && *line; ++number) {
        const size_t length = strcspn(line, "\n");
        take_line(extension, number, line, length);
        line += length + (line[length] == '\n');
    }
    strbuf_fini(&out);
    strbuf_fini(&said);
    clean_environment_free(env);
    if (code == 0 && number < ABOUT_LINES)
        return err_set(err, ERR_UNAVAILABLE, "'%s' does not say what it builds with", extension->interpreter);
    return code;
}

static void name_folder(struct extension *extension) {
    const struct dataset_kernel *solution = extension->solution;
    struct sha256 sha = sha256_make();
    char hex[SHA256_HEX_BYTES], *cache = path_cache_dir();
    const char *const parts[] = {MACHINERY, solution->kernel.dir, solution->function, extension->language,
                                 extension->interpreter};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) sha256_add_text(&sha, parts[i]);
    for (size_t i = 0; i < ABOUT_LINES; ++i) sha256_add_text(&sha, extension->about[i]);
    sha256_hex(sha, hex);
    extension->name = arena_format(extension->arena, "assay_%.*s", NAME_BYTES, hex);
    extension->dir = arena_format(extension->arena, "%s/" FOLDER "/%.*s", cache, FOLDER_BYTES, hex);
    free(cache);
}

static int compile(struct extension *extension, const char *stage, struct err *err) {
    const struct dataset_kernel *solution = extension->solution;
    const char *const program[] = {extension->interpreter,
                                   extension->script,
                                   "build",
                                   extension->language,
                                   solution->kernel.dir,
                                   stage,
                                   extension->name,
                                   solution->function,
                                   extension->about[1],
                                   extension->about[2],
                                   NULL};
    char *peers = path_dir(extension->script);
    extension->paths[extension->path_count] = kept(extension->arena, peers);
    extension->paths[extension->path_count + 1] = solution->kernel.dir;
    const struct confinement confinement = {.scratch_dir = stage,
                                            .read_paths = extension->paths,
                                            .read_path_count = extension->path_count + 2,
                                            .limit_ns = BUILD_NS};
    const struct proc_spec spec = {.argv = confined_command(&confinement, program, extension->arena),
                                   .starts_others = true,
                                   .timeout_ns = BUILD_NS};
    struct proc_status status;
    struct strbuf said = {0};
    int code = proc_run_split(&spec, &status, NULL, &said, err);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code))
        code = build_tool_is_disk_full(stage, strbuf_text(&said))
                   ? build_tool_fail_disk_full(solution->kernel.name, err)
                   : fail(extension, ERR_BUILD, &said, err);
    strbuf_fini(&said);
    return code;
}

// The library and the module in Python that loads it, in a folder of their own.
static int publish(const struct extension *extension, const char *stage, struct err *err) {
    struct arena *arena = extension->arena;
    const char *linked = arena_format(arena, "%s/%s.so", stage, extension->name);
    const char *function = extension->solution->function;
    const char *text = arena_format(
        arena,
        "import importlib.util\nimport os\n\nimport torch\n\n"
        "_path = os.path.join(os.path.dirname(os.path.abspath(__file__)), \"%s.so\")\n"
        "_spec = importlib.util.spec_from_file_location(\"%s\", _path)\n"
        "_module = importlib.util.module_from_spec(_spec)\n_spec.loader.exec_module(_module)\n%s = "
        "_module.%s\n",
        extension->name, extension->name, function, function);
    char *bytes = NULL;
    size_t length = 0;
    TRY(file_read_no_link(linked, ELF_FILE_BYTES_MAX, &bytes, &length, err));
    const char *whole = arena_format(arena, "%s.new", stage);
    int code = file_make_dirs(whole, err);
    if (code == 0)
        code = file_write_atomic(arena_format(arena, "%s/%s.so", whole, extension->name), bytes, length, err);
    if (code == 0)
        code = file_write_atomic(arena_format(arena, "%s/" MODULE ".py", whole), text, strlen(text), err);
    // Who built it at the same time built the same.
    if (code == 0 && rename(whole, extension->dir) < 0 && !file_is_dir(extension->dir))
        code = err_set_errno(err, ERR_CREATE, "cannot create '%s'", extension->dir);
    (void)file_remove_tree(whole, NULL);
    free(bytes);
    return code;
}

static int build(struct extension *extension, struct err *err) {
    const char *stage = arena_format(extension->arena, "%s.%ld", extension->dir, (long)getpid());
    TRY(file_check_cache(err));
    if (file_is_dir(extension->dir)) return 0;
    int code = file_make_dirs(stage, err);
    if (code == 0) code = compile(extension, stage, err);
    if (code == 0) code = publish(extension, stage, err);
    (void)file_remove_tree(stage, NULL);
    return code;
}

int solution_build(const struct manifest *manifest, struct arena *arena, struct dataset_kernel *solution,
                   struct err *err) {
    struct extension extension = {
        .arena = arena, .solution = solution, .language = solution->is_cuda ? "cuda" : "cpp"};
    char *interpreter, *peers;
    TRY(python_program_find(manifest->python_interpreter, manifest->dir, &interpreter, err));
    extension.interpreter = kept(arena, interpreter);
    TRY(python_program_peers(&peers, err));
    extension.script = arena_format(arena, "%s/assay_extension.py", kept(arena, peers));
    TRY(ask(&extension, err));
    name_folder(&extension);
    TRY(build(&extension, err));
    solution->kernel.dir = extension.dir;
    solution->kernel.python = arena_format(arena, MODULE ":%s(%s)", solution->function, solution->order);
    return 0;
}
