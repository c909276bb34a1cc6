// SPDX-License-Identifier: Apache-2.0
#include "control/flow/init/starter_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/file.h"
#include "control/plan/manifest/manifest.h"
#include "control/plan/manifest/shipped_kernel.h"
#include "op/example.h"

#define IGNORE_PATH      ".gitignore"
#define IGNORED          "runs/"
#define IGNORE_BYTES_MAX (1 << 20)
#define SCHEMA_BYTES_MAX (1 << 20)

extern const char starter_kernel[], starter_triton[], starter_rmsnorm[]; // end with a zero
EMBED("starter_kernel", ASSAY_STARTER_KERNEL);
EMBED("starter_triton", ASSAY_STARTER_TRITON);
EMBED("starter_rmsnorm", ASSAY_STARTER_RMSNORM);

struct starter_file {
    const char *folder; // NULL: the working folder
    const char *path, *text;
    const char *behind; // which the licence of our copy ends with: it is not that of the user's
    const char *what;
};

static const struct starter_file kernel_files[] = {
    {"kernels", "kernels/mine.c", starter_kernel, "//\n",
     "a kernel for " OP_EXAMPLE " that is right; edit it, or put yours in its place"},
    {0},
};
static const struct starter_file triton_files[] = {
    {"ops", "ops/rmsnorm.py", starter_rmsnorm, "\n",
     "the operator, two functions: what goes in, and what is right"},
    {NULL, "rmsnorm_triton.py", starter_triton, "\n",
     "a Triton kernel of it that is right, and the function that launches it; put yours in its place"},
    {0},
};
static const struct starter_file no_files[] = {{0}};
#define FILES_MAX 2

static const struct starter_file *files_of(const struct starter *starter) {
    return starter->is_triton ? triton_files : starter->operator_file ? no_files : kernel_files;
}

// What was written, so that all of it goes again where a later step fails.
struct written {
    bool has_manifest, has_schema, has_line;
    bool has_folder[FILES_MAX], has_file[FILES_MAX];
    bool is_ignore_new; // .gitignore was not there
    off_t ignore_bytes; // its length before
};

// "ops.rmsnorm" of "ops/rmsnorm.py"
static void add_module(const char *file, struct strbuf *out) {
    const char *end = file + strlen(file) - strlen(".py");
    for (; file < end; ++file) strbuf_add_char(out, *file == '/' ? '.' : *file);
}

static void add_operator(const char *file, struct strbuf *out) {
    const char *base = path_base(file);
    const int length = (int)(strlen(base) - strlen(".py"));
    strbuf_addf(
        out,
        "version: 1\n"
        "# A Python file that declares an operator: docs/any-kernel.md\n"
        "operators: {%.*s: %s}\n"
        "kernels:\n"
        "  # Begins with the reference: put MODULE:FUNCTION of your kernel in its place, and on a GPU add\n"
        "  # 'backend: cuda'.\n"
        "  mine: {operator: %.*s, python: \"",
        length, base, file, length, base);
    add_module(file, out);
    strbuf_addf(out,
                ":reference\"}\n"
                "gate: {suite: %.*s, candidate: mine, baseline: \"git:merge-base\"}\n",
                length, base);
}

void starter_manifest_add(const struct starter *starter, bool names_schema, struct strbuf *out) {
    if (names_schema) strbuf_add(out, "# yaml-language-server: $schema=" STARTER_SCHEMA "\n");
    if (starter->is_triton)
        strbuf_add(out, "version: 1\n"
                        "# A Python file that declares an operator: docs/any-kernel.md\n"
                        "operators: {rmsnorm: ops/rmsnorm.py}\n"
                        "kernels:\n"
                        "  triton: {operator: rmsnorm, backend: cuda, python: \"rmsnorm_triton:rmsnorm\"}\n"
                        "gate: {suite: rmsnorm, candidate: triton, baseline: \"git:merge-base\"}\n");
    else if (starter->operator_file)
        add_operator(starter->operator_file, out);
    else
        strbuf_add(out, manifest_starter());
}

// An editor on another machine finds it, too, if it is committed.
static int write_schema(struct written *written, struct err *err) {
    char *path = shipped_schema_path(), *text = NULL;
    size_t length = 0;
    int code = 0;
    if (path && !file_exists(STARTER_SCHEMA)) {
        code = file_read(path, SCHEMA_BYTES_MAX, &text, &length, err);
        if (code == 0) code = file_write_atomic(STARTER_SCHEMA, text, length, err);
        written->has_schema = code == 0;
    }
    free(text);
    free(path);
    return code;
}

static int write_manifest(const struct starter *starter, struct written *written, struct err *err) {
    struct strbuf text = {0};
    starter_manifest_add(starter, file_exists(STARTER_SCHEMA), &text);
    const int code = file_write_atomic(MANIFEST_FILE_NAME, strbuf_text(&text), text.length, err);
    written->has_manifest = code == 0;
    strbuf_fini(&text);
    return code;
}

static int write_files(const struct starter_file *files, struct written *written, struct err *err) {
    for (size_t i = 0; files[i].path; ++i) {
        const struct starter_file *file = &files[i];
        const char *text = strstr(file->text, file->behind) + strlen(file->behind);
        if (file_exists(file->path)) continue;
        written->has_folder[i] = file->folder && !file_exists(file->folder);
        if (file->folder) TRY(file_make_dirs(file->folder, err));
        TRY(file_write_atomic(file->path, text, strlen(text), err));
        written->has_file[i] = true;
    }
    return 0;
}

static bool has_line(const char *text, const char *line) {
    const size_t length = strlen(line);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        at += *at == '/'; // "/runs/" is the same in the root
        if (strncmp(at, line, length) == 0 && (at[length] == 0 || at[length] == '\n' || at[length] == '\r'))
            return true;
    }
    return false;
}

// Appended, so that a link stays a link and an interrupted write loses nothing.
static int append(const char *path, const char *text, struct err *err) {
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    const size_t length = strlen(text);
    const bool is_written = fd >= 0 && write(fd, text, length) == (ssize_t)length;
    const bool is_closed = fd >= 0 && close(fd) == 0;
    return is_written && is_closed ? 0 : err_set_errno(err, ERR_CREATE, "cannot add a line to '%s'", path);
}

static int ignore_runs(struct written *written, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    const bool is_there = file_exists(IGNORE_PATH);
    if (is_there) TRY(file_read(IGNORE_PATH, IGNORE_BYTES_MAX, &text, &length, err));
    const bool is_ignored = text && has_line(text, IGNORED);
    const bool is_torn = length && text[length - 1] != '\n';
    free(text);
    if (is_ignored) return 0;
    written->has_line = true; // or a part of it
    written->is_ignore_new = !is_there;
    written->ignore_bytes = (off_t)length;
    return append(IGNORE_PATH, is_torn ? "\n" IGNORED "\n" : IGNORED "\n", err);
}

static void take_back(const struct starter_file *files, const struct written *written) {
    if (written->has_manifest) unlink(MANIFEST_FILE_NAME);
    if (written->has_schema) unlink(STARTER_SCHEMA);
    for (size_t i = 0; files[i].path; ++i) {
        if (written->has_file[i]) unlink(files[i].path);
        if (written->has_folder[i]) rmdir(files[i].folder);
    }
    if (written->is_ignore_new) unlink(IGNORE_PATH);
    if (written->has_line && !written->is_ignore_new)
        (void)!truncate(IGNORE_PATH, written->ignore_bytes); // fails where nothing could be added either
}

static void say(const struct starter *starter, const struct written *written, struct strbuf *out) {
    const struct starter_file *files = files_of(starter);
    for (size_t i = 0; files[i].path; ++i)
        if (written->has_file[i])
            strbuf_add_linef(out, "wrote %s: %s", files[i].path, files[i].what);
        else
            strbuf_add_linef(out, "kept %s, which is there", files[i].path);
    if (written->has_line)
        strbuf_add_linef(out, "added " IGNORED " to " IGNORE_PATH ": results are not committed");
    if (written->has_schema)
        strbuf_add_linef(out, "wrote " STARTER_SCHEMA ": what editors know of " MANIFEST_FILE_NAME);
    strbuf_add_linef(
        out, "wrote " MANIFEST_FILE_NAME ": %s",
        starter->is_triton
            ? "now try 'assay fuzz --kernel triton' on a machine with a GPU and Triton: init ran "
              "nothing; commit, edit the kernel, and try 'assay gate'"
        : starter->operator_file ? "'mine' is the reference until you name your function; now try "
                                   "'assay fuzz --kernel mine'"
                                 : "now try 'assay fuzz --kernel mine --suite boundary'; commit, "
                                   "edit the kernel, and try 'assay gate'");
}

int starter_files_write(const struct starter *starter, struct strbuf *out, struct err *err) {
    struct written written = {0};
    if (file_exists(MANIFEST_FILE_NAME))
        return err_set(err, ERR_CREATE,
                       "'" MANIFEST_FILE_NAME
                       "' exists and is left as it is; remove it, or name another with --output");
    int code = write_schema(&written, err);
    if (code == 0) code = write_manifest(starter, &written, err);
    if (code == 0) code = write_files(files_of(starter), &written, err);
    if (code == 0) code = ignore_runs(&written, err);
    if (code < 0)
        take_back(files_of(starter), &written);
    else
        say(starter, &written, out);
    return code;
}
