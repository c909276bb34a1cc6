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

#define KERNEL_FOLDER    "kernels"
#define KERNEL_PATH      KERNEL_FOLDER "/mine.c" // as the manifest names it
#define IGNORE_PATH      ".gitignore"
#define IGNORED          "runs/"
#define IGNORE_BYTES_MAX (1 << 20)

extern const char starter_kernel[]; // ends with a zero
EMBED("starter_kernel", ASSAY_STARTER_KERNEL);

// What was written, so that all of it goes again where a later step fails.
struct written {
    bool has_manifest, has_folder, has_kernel, has_line;
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

void starter_manifest_add(const char *operator_file, struct strbuf *out) {
    char *schema = shipped_schema_path();
    if (schema) strbuf_addf(out, "# yaml-language-server: $schema=%s\n", schema);
    if (operator_file)
        add_operator(operator_file, out);
    else
        strbuf_add(out, manifest_starter());
    free(schema);
}

static int write_manifest(const char *operator_file, struct written *written, struct err *err) {
    struct strbuf text = {0};
    if (file_exists(MANIFEST_FILE_NAME))
        return err_set(err, ERR_CREATE,
                       "'" MANIFEST_FILE_NAME
                       "' exists and is left as it is; remove it, or name another with --output");
    starter_manifest_add(operator_file, &text);
    const int code = file_write_atomic(MANIFEST_FILE_NAME, strbuf_text(&text), text.length, err);
    written->has_manifest = code == 0;
    strbuf_fini(&text);
    return code;
}

static int write_kernel(struct written *written, struct err *err) {
    if (file_exists(KERNEL_PATH)) return 0;
    // Without the licence of our copy, which is not that of the user's.
    const char *text = strstr(starter_kernel, "//\n") + 3;
    written->has_folder = !file_exists(KERNEL_FOLDER);
    TRY(file_make_dirs(KERNEL_FOLDER, err));
    TRY(file_write_atomic(KERNEL_PATH, text, strlen(text), err));
    written->has_kernel = true;
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

static void take_back(const struct written *written) {
    if (written->has_manifest) unlink(MANIFEST_FILE_NAME);
    if (written->has_kernel) unlink(KERNEL_PATH);
    if (written->has_folder) rmdir(KERNEL_FOLDER);
    if (written->is_ignore_new) unlink(IGNORE_PATH);
    if (written->has_line && !written->is_ignore_new)
        (void)!truncate(IGNORE_PATH, written->ignore_bytes); // fails where nothing could be added either
}

static void say(const char *operator_file, const struct written *written, struct strbuf *out) {
    if (!operator_file)
        strbuf_add_linef(out, written->has_kernel ? "wrote " KERNEL_PATH ": a kernel for " OP_EXAMPLE
                                                    " that is right; edit it, or put yours in its place"
                                                  : "kept " KERNEL_PATH ", which is there");
    if (written->has_line)
        strbuf_add_linef(out, "added " IGNORED " to " IGNORE_PATH ": results are not committed");
    strbuf_add_linef(out, operator_file ? "wrote " MANIFEST_FILE_NAME
                                          ": 'mine' is the reference until you name your "
                                          "function; now try 'assay fuzz --kernel mine'"
                                        : "wrote " MANIFEST_FILE_NAME
                                          ": now try 'assay fuzz --kernel mine --suite boundary'; "
                                          "commit, edit the kernel, and try 'assay gate'");
}

int starter_files_write(const char *operator_file, struct strbuf *out, struct err *err) {
    struct written written = {0};
    int code = write_manifest(operator_file, &written, err);
    if (code == 0 && !operator_file) code = write_kernel(&written, err);
    if (code == 0) code = ignore_runs(&written, err);
    if (code < 0)
        take_back(&written);
    else
        say(operator_file, &written, out);
    return code;
}
