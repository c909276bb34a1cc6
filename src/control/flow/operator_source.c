// SPDX-License-Identifier: Apache-2.0
//
// See operator_source.h.
#include "control/flow/operator_source.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "control/exec/python_declare.h"

bool operator_source_is_given(const struct session_options *options) {
    return options->operator_file != NULL;
}

int operator_source_add(const struct session_options *options, struct manifest *manifest,
                        const char **ret_name, struct err *err) {
    if (!options->operator_file) return 0;
    return manifest_add_operator(manifest, options->operator_file, PYTHON_ASKER(NULL), ret_name, err);
}

// What a path of the working tree is in the revision; NULL: it is not there. The caller frees.
static char *path_in_revision(const char *path, const char *here, const char *there) {
    char *absolute = path_absolute(path), *ret = NULL;
    const size_t length = strlen(here);
    if (str_starts(absolute, here) && absolute[length] == '/') ret = path_join(there, absolute + length + 1);
    if (ret && !file_exists(ret)) {
        free(ret);
        ret = NULL;
    }
    free(absolute);
    return ret;
}

int operator_source_add_revision(const struct session_options *options, struct manifest *manifest,
                                 const char *here, const char *there, struct err *err) {
    const char *named = options->operator_file, *unused;
    char *path = named ? path_in_revision(named, here, there) : NULL;
    const int code = path ? manifest_add_operator(manifest, path, PYTHON_ASKER(here), &unused, err) : 0;
    free(path);
    return code;
}

void operator_source_add_words(const struct session_options *options, struct strbuf *out) {
    if (!options->operator_file) return;
    strbuf_add_shell_word(out, options->operator_file);
    strbuf_add_char(out, ' ');
}
