// SPDX-License-Identifier: Apache-2.0
//
// Finding the interpreter, the bridge and the library of a Python worker, and their hash.
#include "control/exec/python_program.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "gen/assay_config.h"

#define BRIDGE  "assay_bridge.py"
#define LIBRARY "libassay_worker.so"

#ifndef ASSAY_INSTALL_LIBDIR_RELATIVE // set by cmake/python_worker.cmake
#define ASSAY_INSTALL_LIBDIR_RELATIVE "../lib"
#endif

// The interpreter of the virtual environment that pip installed this program into; NULL: it lies in none.
static char *interpreter_beside_self(void) {
    char *marker = path_beside_self("../pyvenv.cfg");
    char *path = file_exists(marker) ? path_beside_self("python3") : NULL;
    free(marker);
    return path;
}

int python_program_find(const char *named, const char *dir, char **ret_path, struct err *err) {
    const char *environment = getenv("VIRTUAL_ENV");
    if (environment && !*environment) environment = NULL;
    char *path;
    if (named)
        path = strchr(named, '/') ? path_join(dir, named) : mem_strdup(named);
    else
        path = environment ? path_join(environment, "bin/python3") : interpreter_beside_self();
    *ret_path = path_find_program(path ? path : "python3");
    free(path);
    if (*ret_path) return 0;
    if (named)
        return err_set(
            err, ERR_UNAVAILABLE,
            "there is no Python interpreter '%s', which the manifest names as 'python_interpreter'; "
            "correct the key, or remove it to use the one of VIRTUAL_ENV or on PATH",
            named);
    if (environment)
        return err_set(err, ERR_UNAVAILABLE,
                       "VIRTUAL_ENV is '%s', but there is no bin/python3 in it; correct or unset it, or name "
                       "an interpreter with 'python_interpreter' in the manifest",
                       environment);
    return err_set(
        err, ERR_UNAVAILABLE,
        "a kernel written in Python needs an interpreter, and there is no python3 on PATH; install "
        "one, activate a virtual environment, or name one with 'python_interpreter' in the manifest");
}

// The first of the folders `places` that contains the file; NULL: none does. Caller frees.
static char *first_with(char *const *places, size_t count, const char *file) {
    char *found = NULL;
    for (size_t i = 0; i < count && !found; ++i) {
        char *path = path_join(places[i], file);
        if (file_exists(path)) found = mem_strdup(places[i]);
        free(path);
    }
    return found;
}

int python_program_peers(char **ret_dir, struct err *err) {
    char *places[] = {path_beside_self(ASSAY_INSTALL_DATADIR_RELATIVE "/peers"),
                      mem_strdup(ASSAY_SOURCE_DIR "/peers")};
    *ret_dir = first_with(places, 2, BRIDGE);
    int code = 0;
    if (!*ret_dir)
        code = err_set(err, ERR_UNAVAILABLE,
                       "kernels written in Python need %s, which is neither in %s nor in %s; install assay "
                       "with its data",
                       BRIDGE, places[0], places[1]);
    for (size_t i = 0; i < 2; ++i) free(places[i]);
    return code;
}

int python_argv_make(const char *interpreter, struct python_argv *ret, struct err *err) {
    *ret = (struct python_argv){0};
    char *peers = NULL;
    TRY(python_program_peers(&peers, err));
    char *places[] = {path_beside_self("."), path_beside_self(ASSAY_INSTALL_LIBDIR_RELATIVE),
                      mem_strdup(ASSAY_BUILD_DIR)};
    char *library_dir = first_with(places, 3, LIBRARY);
    int code = 0;
    if (library_dir) {
        ret->bridge = path_join(peers, BRIDGE);
        ret->library = path_join(library_dir, LIBRARY);
        const char *const argv[] = {interpreter, "-u", ret->bridge, ret->library, NULL};
        memcpy(ret->argv, argv, sizeof argv);
    } else {
        code =
            err_set(err, ERR_UNAVAILABLE,
                    "kernels written in Python need %s, which is in none of %s, %s, %s; install it next to "
                    "assay (a build with the sanitizers has none)",
                    LIBRARY, places[0], places[1], places[2]);
    }
    free(library_dir);
    free(peers);
    for (size_t i = 0; i < 3; ++i) free(places[i]);
    return code;
}

void python_argv_free(struct python_argv *argv) {
    free(argv->bridge);
    free(argv->library);
    *argv = (struct python_argv){0};
}

static int is_source(const struct dirent *entry) {
    return str_ends(entry->d_name, ".py");
}

static int add_file(struct hash_state *hash, const char *path, struct err *err) {
    char hex[HASH_HEX_BYTES];
    TRY(hash_file_hex(path, hex, err));
    hash_add_text(hash, hex);
    return 0;
}

int python_program_hash(struct hash_state *hash, struct err *err) {
    struct python_argv argv;
    struct dirent **entries = NULL;
    TRY(python_argv_make("", &argv, err));
    char *dir = path_dir(argv.bridge);
    int code = add_file(hash, argv.library, err);
    const int count = code < 0 ? 0 : scandir(dir, &entries, is_source, alphasort);
    if (count < 0) code = err_set(err, ERR_IO, "folder %s cannot be read: %s", dir, strerror(errno));
    for (int i = 0; i < count; ++i) {
        char *path = path_join(dir, entries[i]->d_name);
        hash_add_text(hash, entries[i]->d_name);
        if (code == 0) code = add_file(hash, path, err);
        free(path);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    free(dir);
    python_argv_free(&argv);
    return code;
}
