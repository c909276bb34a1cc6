// SPDX-License-Identifier: Apache-2.0
//
// For the tests of src/control/compile: a temporary folder with a cache of its own, small kernels, shell
// commands.
#ifndef TEST_BUILD_SUPPORT_H
#define TEST_BUILD_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/compile/code_hash.h"
#include "control/compile/variant.h"

struct scene {
    char dir[64]; // the "user's" folder
    struct arena arena;
    struct err err;
};

static inline int scene_setup(void **state) {
    struct scene *scene = mem_alloc(sizeof *scene);
    strcpy(scene->dir, "/tmp/assay-build-XXXXXX");
    if (!mkdtemp(scene->dir)) return -1;
    char *cache = path_join(scene->dir, ".cache");
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("CCACHE_DIR");
    setenv("ASSAY_INCLUDE_DIR", ASSAY_SOURCE_DIR "/include", 1);
    free(cache);
    *state = scene;
    return 0;
}

static inline int scene_teardown(void **state) {
    struct scene *scene = *state;
    arena_fini(&scene->arena);
    int result = file_remove_tree(scene->dir, NULL);
    free(scene);
    return result;
}

static inline void scene_write(struct scene *scene, const char *name, const char *text) {
    char *path = path_join(scene->dir, name), *dir = path_dir(path);
    if (file_make_dirs(dir, &scene->err) < 0 ||
        file_write_atomic(path, text, strlen(text), &scene->err) < 0) {
        fail_msg("%s", scene->err.text);
    }
    free(dir);
    free(path);
}

// Runs a shell command in the scene's folder; its first line of output, in the arena.
static inline const char *scene_shell(struct scene *scene, const char *command) {
    char *line = mem_format("cd '%s' && { %s; } 2>&1", scene->dir, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    char text[4096];
    size_t got = fread(text, 1, sizeof text - 1, pipe);
    text[got] = 0;
    if (pclose(pipe) != 0) fail_msg("'%s' failed: %s", command, text);
    free(line);
    return arena_strdup(&scene->arena, text);
}

// A kernel module whose arithmetic is `expression` of x.
static inline const char *kernel_source(struct scene *scene, const char *head, const char *expression) {
    return arena_format(
        &scene->arena,
        "%s\n#include <assay/kernel.h>\n"
        "static int supports(const struct assay_problem *p, struct assay_message *m) { (void)p; (void)m; "
        "return 0; }\n"
        "static int launch(void *s, const struct assay_tensors *t, void *w, void *c, struct assay_message "
        "*m) {\n"
        "    (void)s; (void)w; (void)c; (void)m;\n"
        "    float *y = (float *)assay_tensor_at(t, 0)->data;\n"
        "    for (int i = 0; i < 64; ++i) { float x = y[i]; y[i] = %s; }\n"
        "    return 0;\n}\n"
        "static const struct assay_kernel kernels[] = {{sizeof(struct assay_kernel), ASSAY_ABI_VERSION, "
        "\"k\",\n"
        "    \"attention\", \"cpu\", supports, launch, NULL, NULL, NULL, 0, 0, NULL, NULL}};\n"
        "ASSAY_MODULE(kernels)\n",
        head, expression);
}

static inline struct manifest_kernel source_kernel(const char *source) {
    return (struct manifest_kernel){.name = "mine", .op = "attention", .backend = "cpu", .source = source};
}

static inline int scene_build_in(struct scene *scene, const struct manifest_kernel *kernel, const char *dir,
                                 const char *config, struct variant *ret) {
    const struct variant_request request = {.kernel = kernel, .dir = dir, .config = config};
    return variant_build(&request, 1, &scene->arena, ret, &scene->err);
}

static inline struct variant scene_build(struct scene *scene, const struct manifest_kernel *kernel) {
    struct variant variant = {0};
    if (scene_build_in(scene, kernel, scene->dir, NULL, &variant) < 0) fail_msg("%s", scene->err.text);
    return variant;
}

#endif
