// SPDX-License-Identifier: Apache-2.0
//
// See clean_environment.h: a list of what is kept. Tokens of a CI job, keys and the names of its folders are
// none of a kernel's business.
#include "base/process/clean_environment.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

// A name that ends with * keeps all that begin like it.
static const char *const kept[] = {"PATH",
                                   "LANG",
                                   "LANGUAGE",
                                   "LC_*",
                                   "TZ",
                                   "TZDIR",
                                   "TERM",
                                   "LOCPATH",
                                   "NLSPATH",
                                   "GLIBC_TUNABLES",
                                   "MALLOC_*",
                                   "LD_LIBRARY_PATH",
                                   "LD_PRELOAD",
                                   "LD_BIND_NOW",
                                   "OMP_*",
                                   "KMP_*",
                                   "GOMP_*",
                                   "LIBOMP_*",
                                   "MKL_*",
                                   "OPENBLAS_*",
                                   "GOTO_*",
                                   "BLIS_*",
                                   "BLAS_*",
                                   "DNNL_*",
                                   "ONEDNN_*",
                                   "TBB_*",
                                   "NUMEXPR_*",
                                   "NUMBA_*",
                                   "PYTHON*",
                                   "VIRTUAL_ENV",
                                   "CONDA_*",
                                   "PYENV_*",
                                   "CUDA*",
                                   "NVIDIA_*",
                                   "NVCC*",
                                   "CUDNN_*",
                                   "CUBLAS*",
                                   "TRITON_*",
                                   "TORCH*",
                                   "PYTORCH_*",
                                   "CC",
                                   "CXX",
                                   "CPATH",
                                   "C_INCLUDE_PATH",
                                   "CPLUS_INCLUDE_PATH",
                                   "LIBRARY_PATH",
                                   "ASAN_*",
                                   "LSAN_*",
                                   "UBSAN_*",
                                   "TSAN_*",
                                   "ASSAY_*",
                                   NULL};

// Parts of a name that say what its value is. A store's address may hold a password.
static const char *const secrets[] = {"TOKEN", "SECRET",  "PASSWORD", "PASSWD",      "CREDENTIAL", "APIKEY",
                                      "_KEY",  "KEYRING", "AUTH",     "ASSAY_STORE", NULL};

static bool is_kept(const char *entry) {
    const char *end = strchr(entry, '=');
    if (!end || end == entry) return false;
    char *name = mem_strdup(entry);
    name[end - entry] = '\0';
    bool keep = false;
    for (size_t i = 0; !keep && kept[i]; ++i) {
        const size_t length = strlen(kept[i]);
        keep =
            kept[i][length - 1] == '*' ? strncmp(name, kept[i], length - 1) == 0 : str_equal(name, kept[i]);
    }
    for (size_t i = 0; keep && secrets[i]; ++i) keep = !strcasestr(name, secrets[i]);
    free(name);
    return keep;
}

// Takes entry over. A later entry replaces an earlier one of the same name.
static void put(char ***env, size_t *count, size_t *capacity, char *entry) {
    char *name = mem_strdup(entry); // "NAME="
    size_t at = 0;
    name[strcspn(name, "=") + 1] = '\0';
    while (at < *count && !str_starts((*env)[at], name)) ++at;
    free(name);
    if (at < *count) {
        free((*env)[at]);
    } else {
        MEM_GROW(*env, *capacity, *count + 2);
        ++*count;
        (*env)[*count] = NULL;
    }
    (*env)[at] = entry;
}

// As it is, or under another name.
static char *copy_of(const char *entry, bool is_confined) {
    static const char path[] = "PYTHONPATH=";
    if (is_confined || !str_starts(entry, path)) return mem_strdup(entry);
    return mem_format(CLEAN_PYTHON_PATH "=%s", entry + strlen(path));
}

char **clean_environment_new(const char *scratch_dir, const char *const *add, bool is_confined) {
    char **env = NULL;
    size_t count = 0, capacity = 0;
    // Packages that the user installed for himself are found through HOME, which changes.
    const char *home = getenv("HOME");
    if (home && *home == '/' && !getenv("PYTHONUSERBASE"))
        put(&env, &count, &capacity, mem_format("PYTHONUSERBASE=%s/.local", home));
    for (char *const *at = environ; at && *at; ++at)
        if (is_kept(*at)) put(&env, &count, &capacity, copy_of(*at, is_confined));
    put(&env, &count, &capacity, mem_format("HOME=%s", str_or(scratch_dir, "/nonexistent")));
    if (scratch_dir) put(&env, &count, &capacity, mem_format("TMPDIR=%s", scratch_dir));
    for (; add && *add; ++add)
        if (strchr(*add, '=')) put(&env, &count, &capacity, mem_strdup(*add));
    return env;
}

void clean_environment_free(char **env) {
    for (char **at = env; at && *at; ++at) free(*at);
    free(env);
}
