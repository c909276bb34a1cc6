// SPDX-License-Identifier: Apache-2.0
#include "control/flow/init/ci_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/process/proc.h"
#include "base/strbuf.h"
#include "control/flow/init/ci_templates.h"

#define BLOCK_INDENT "\n            " // of a line of WATCHED in github_workflow.yml

// ---- lists of words ----

enum { WORDS_FIRST = 16 };

struct words {
    struct arena *arena;
    size_t count, capacity;
    const char **items;
};

static void words_grow(struct words *words) {
    const size_t capacity = words->capacity ? 2 * words->capacity : WORDS_FIRST;
    const char **items = arena_array(words->arena, capacity, sizeof *items);
    if (words->count) memcpy(items, words->items, words->count * sizeof *items);
    words->items = items;
    words->capacity = capacity;
}

static void words_add(struct words *words, const char *word) {
    for (size_t i = 0; i < words->count; ++i)
        if (str_equal(words->items[i], word)) return;
    if (words->count == words->capacity) words_grow(words);
    words->items[words->count++] = word;
}

// JSON is YAML, and escapes what a name may hold.
static void words_print_json(const struct words *words, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_array_begin(&w, NULL);
    for (size_t i = 0; i < words->count; ++i) json_write_string(&w, NULL, words->items[i]);
    json_array_end(&w);
}

static void words_print_block(const struct words *words, struct strbuf *out) {
    for (size_t i = 0; i < words->count; ++i) {
        if (i) strbuf_add(out, BLOCK_INDENT);
        strbuf_add_plain(out, words->items[i], true);
    }
}

// ---- what the manifest says ----

static const struct manifest_kernel *candidate_of(const struct manifest *manifest) {
    for (size_t i = 0; i < manifest->kernel_count; ++i)
        if (str_equal(manifest->kernels[i].name, manifest->gate.candidate)) return &manifest->kernels[i];
    return manifest->kernel_count ? &manifest->kernels[0] : NULL;
}

static void find_kernels(const struct manifest *manifest, struct words *words) {
    const struct manifest_kernel *first = candidate_of(manifest);
    if (first) words_add(words, first->name);
    for (size_t i = 0; i < manifest->kernel_count; ++i) words_add(words, manifest->kernels[i].name);
}

static void find_gate_suites(const struct manifest *manifest, struct words *words) {
    if (manifest->gate.suite)
        words_add(words, manifest->gate.suite);
    else if (manifest->suite_count)
        words_add(words, manifest->suites[0].name);
    else
        words_add(words, "quick");
}

static void find_suites(const struct manifest *manifest, struct words *words) {
    find_gate_suites(manifest, words);
    for (size_t i = 0; i < manifest->suite_count; ++i) words_add(words, manifest->suites[i].name);
}

static void find_devices(const struct manifest *manifest, struct words *words) {
    const struct manifest_kernel *kernel = candidate_of(manifest);
    const char *backend = kernel ? str_or(kernel->backend, "cpu") : "cpu";
    words_add(words, str_equal(backend, "cuda")  ? "cuda:0"
                     : str_equal(backend, "sim") ? "sim:steady"
                                                 : "cpu");
}

static bool has_gpu(const struct manifest *manifest) {
    const struct manifest_kernel *kernel = candidate_of(manifest);
    return kernel && str_equal(kernel->backend, "cuda");
}

// Of a runner: GitLab's tags; GitHub's labels begin with a word of its own.
static void find_tags(const struct manifest *manifest, struct words *words) {
    words_add(words, has_gpu(manifest) ? "gpu" : "cpu");
    if (has_gpu(manifest)) words_add(words, "l4");
}

static void find_labels(const struct manifest *manifest, struct words *words) {
    words_add(words, "self-hosted");
    find_tags(manifest, words);
}

// ---- what is watched: all that decides a kernel ----

#define ALL_BELOW     "**/*"
#define KERNELS_BELOW "kernels/" ALL_BELOW // that folder is on the include path of every source

// "csrc/**/*" covers "csrc/a/**/*" and "csrc/x.c", "**/*" everything.
static bool covers(const char *pattern, const char *other) {
    if (str_equal(pattern, other)) return true;
    if (!str_ends(pattern, ALL_BELOW)) return false;
    return strncmp(pattern, other, strlen(pattern) - strlen(ALL_BELOW)) == 0;
}

static void watch(struct words *words, const char *pattern) {
    size_t kept = 0;
    for (size_t i = 0; i < words->count; ++i)
        if (covers(words->items[i], pattern)) return;
    for (size_t i = 0; i < words->count; ++i)
        if (!covers(pattern, words->items[i])) words->items[kept++] = words->items[i];
    words->count = kept;
    words_add(words, pattern);
}

// All below a folder of the repository; "", ".": all of it.
static void watch_folder(struct words *words, const char *folder, size_t length) {
    while (length && folder[length - 1] == '/') --length;
    while (length > 1 && strncmp(folder, "./", 2) == 0) {
        folder += 2;
        length -= 2;
    }
    const bool is_root = !length || (length == 1 && folder[0] == '.');
    watch(words, is_root ? ALL_BELOW : arena_format(words->arena, "%.*s/" ALL_BELOW, (int)length, folder));
}

// A piece of a flag that is a file or a folder of the repository.
static void watch_named(struct words *words, const char *name) {
    if (!*name || path_leads_out(name)) return;
    if (file_is_dir(name))
        watch_folder(words, name, strlen(name));
    else if (file_exists(name))
        watch(words, name);
}

// "-Iinclude", "helper.o", "-Wl,--version-script=exports.map"
static void watch_flag(struct words *words, const char *flag) {
    for (const char *at = flag;; ++at) {
        const size_t length = strcspn(at, ",=@");
        const char *piece = arena_strndup(words->arena, at, length);
        watch_named(words, piece);
        if (piece[0] == '-' && length > 2) watch_named(words, piece + 2);
        at += length;
        if (!*at) return;
    }
}

// A source's folder holds the headers that it includes.
static void watch_source(struct words *words, const struct manifest_kernel *kernel) {
    watch_folder(words, kernel->source, (size_t)(path_base(kernel->source) - kernel->source));
    watch(words, KERNELS_BELOW);
    for (size_t i = 0; i < kernel->flag_count; ++i) watch_flag(words, kernel->flags[i]);
}

// An own build without inputs may read anything. "csrc/**" is all below csrc for assay and git, and its files
// alone for GitLab; "csrc/**/*" is the same for all three.
static void watch_build(struct words *words, const struct manifest_kernel *kernel) {
    if (!kernel->build_input_count) watch(words, ALL_BELOW);
    for (size_t i = 0; i < kernel->build_input_count; ++i) {
        const char *input = kernel->build_inputs[i];
        const bool is_all_below = str_equal(path_base(input), "**");
        watch(words, is_all_below ? arena_format(words->arena, "%s/*", input) : input);
    }
}

static void find_watched(const struct manifest *manifest, struct words *words) {
    watch(words, MANIFEST_FILE_NAME);
    for (size_t i = 0; i < manifest->kernel_count; ++i) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        if (kernel->source) watch_source(words, kernel);
        if (kernel->build_run) watch_build(words, kernel);
        if (kernel->library) watch(words, kernel->library);
        if (kernel->python) watch(words, "**/*.py"); // a function in Python may call any other
    }
}

// ---- templates ----

static const struct placeholder {
    const char *name;
    void (*find)(const struct manifest *manifest, struct words *words);
    void (*print)(const struct words *words, struct strbuf *out);
} placeholders[] = {
    {"@kernels@", find_kernels, words_print_json},         {"@suites@", find_suites, words_print_json},
    {"@gate_suites@", find_gate_suites, words_print_json}, {"@devices@", find_devices, words_print_json},
    {"@labels@", find_labels, words_print_json},           {"@gitlab_tags@", find_tags, words_print_json},
    {"@changes@", find_watched, words_print_json},         {"@watched@", find_watched, words_print_block},
};

static const struct placeholder *placeholder_at(const char *text) {
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders; ++i)
        if (strncmp(text, placeholders[i].name, strlen(placeholders[i].name)) == 0) return &placeholders[i];
    return NULL;
}

static const char *fill(const struct manifest *manifest, const char *text, struct arena *arena) {
    struct strbuf out = {0};
    while (*text) {
        const struct placeholder *found = placeholder_at(text);
        if (found) {
            struct words words = {.arena = arena};
            found->find(manifest, &words);
            found->print(&words, &out);
            text += strlen(found->name);
        } else {
            strbuf_add_char(&out, *text++);
        }
    }
    const char *filled = arena_strdup(arena, strbuf_text(&out));
    strbuf_fini(&out);
    return filled;
}

static const struct ci_template {
    const char *host, *path, *text;
} templates[] = {
    {"github", ".github/workflows/assay.yml", ci_github_workflow},
    {"github", ".github/workflows/assay-comment.yml", ci_github_comment},
    {"github", ".github/actions/assay/action.yml", ci_github_action},
    {"github", ".github/pull_request_template.md", ci_pull_request},
    {"gitlab", ".gitlab/assay.yml", ci_gitlab},
    {"gitlab", ".gitlab/merge_request_templates/kernel.md", ci_pull_request},
};

// Without the licence of our copy, which is not that of the user's.
static const char *without_licence(const char *text) {
    const char *end = str_starts(text, "# SPDX-") ? strchr(text, '\n') : NULL;
    return end ? end + 1 : text;
}

static void add_file(struct ci_files *files, const char *path, const char *text) {
    if (files->count == CI_FILES_MAX) BUG("more than %d files", CI_FILES_MAX);
    files->files[files->count++] = (struct ci_file){path, text};
}

void ci_files_make(const struct manifest *manifest, const char *host, struct ci_files *ret) {
    *ret = (struct ci_files){0};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; ++i)
        if (str_equal(templates[i].host, host))
            add_file(ret, templates[i].path, fill(manifest, without_licence(templates[i].text), &ret->arena));
}

// ---- writing ----

static int write_one(const struct ci_file *file, struct err *err) {
    char *dir = path_dir(file->path);
    int code = file_make_dirs(dir, err);
    free(dir);
    return code ? code : file_write_atomic(file->path, file->text, strlen(file->text), err);
}

int ci_files_write(const struct ci_files *files, struct err *err) {
    for (size_t i = 0; i < files->count; ++i)
        if (file_exists(files->files[i].path))
            return err_set(
                err, ERR_CREATE,
                "'%s' exists and is left as it is, and nothing is written; move it away, then merge "
                "the two by hand",
                files->files[i].path);
    for (size_t i = 0; i < files->count; ++i) {
        const int code = write_one(&files->files[i], err);
        if (code == 0) continue;
        while (i-- > 0) unlink(files->files[i].path); // all or none
        return code;
    }
    return 0;
}

// ---- what is there, against what would be written ----

#define DIFF_BYTES_MAX (1u << 20)

static int show_one(const struct ci_file *file, struct strbuf *out, struct err *err) {
    const bool is_there = file_exists(file->path);
    const char *const argv[] = {
        "git", "diff", "--no-index", "--no-color", "--", is_there ? file->path : "/dev/null", "-", NULL};
    const struct proc_spec spec = {.argv = argv,
                                   .stdin_text = file->text,
                                   .stdin_length = strlen(file->text),
                                   .output_limit_bytes = DIFF_BYTES_MAX};
    struct proc_status status;
    struct strbuf diff = {0};
    int code = proc_run(&spec, &status, &diff, err);
    if (code == 0 && (status.end != PROC_EXITED || status.exit_code > 1))
        code = err_set(err, ERR_UNAVAILABLE, "git diff of '%s' failed: %s", file->path, strbuf_text(&diff));
    if (code == 0)
        strbuf_add_linef(out, "%s: %s", file->path,
                         !is_there               ? "not there"
                         : status.exit_code == 0 ? "as this version writes it"
                                                 : "this version writes it otherwise");
    if (code == 0 && is_there) strbuf_add(out, strbuf_text(&diff));
    strbuf_fini(&diff);
    return code;
}

int ci_files_show(const struct ci_files *files, struct strbuf *out, struct err *err) {
    for (size_t i = 0; i < files->count; ++i) TRY(show_one(&files->files[i], out, err));
    return 0;
}

void ci_files_fini(struct ci_files *files) {
    arena_fini(&files->arena);
}
