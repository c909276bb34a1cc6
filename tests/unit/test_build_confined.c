// SPDX-License-Identifier: Apache-2.0
//
// What a stranger's compiler may read: its own folders and what the manifest's flags name, but never the
// user's home, a folder that the manifest's lies in, or /.
#include <pwd.h>

#include "control/compile/variant_internal.h"
#include "unit/test_build_support.h"

#define TARGET "x86_64-linux-gnu"

// The sandbox's words for a kernel with these flags in the scene's folder "project".
static const char *const *words_of(struct scene *scene, const char *program, const char **flags,
                                   size_t flag_count) {
    static const struct build_limits limits = {.memory_bytes = 1 << 30, .limit_ns = 1000000000};
    const struct manifest_kernel kernel = {.source = "mine.c", .flags = flags, .flag_count = flag_count};
    const struct variant_request request = {
        .kernel = &kernel, .dir = arena_format(&scene->arena, "%s/project", scene->dir), .limits = &limits};
    const struct variant_job job = {
        .request = &request,
        .toolchain = {.program = arena_format(&scene->arena, "%s/%s", scene->dir, program),
                      .target = TARGET}};
    return confined_build_prefix(&job, "/scratch", &scene->arena);
}

// Whether the words open a path of the scene, or an absolute one.
static bool opens(struct scene *scene, const char *const *words, const char *path) {
    char *whole = path_join(scene->dir, path), *real = realpath(whole, NULL);
    bool is_found = false;
    for (; *words; ++words) is_found = is_found || str_equal(*words, real);
    free(whole);
    free(real);
    return is_found;
}

static void set_home(struct scene *scene, const char *path) {
    setenv("HOME", arena_format(&scene->arena, "%s/%s", scene->dir, path), 1);
}

static int setup(void **state) {
    if (scene_setup(state) < 0) return -1;
    scene_shell(*state, "mkdir -p home/bin home/lib home/.local/bin home/.local/lib home/.local/share/" TARGET
                        " home/.local/" TARGET " project/own outside && ln -s home link && "
                        "touch home/bin/gcc home/.local/bin/gcc home/notes project/mine.c");
    return 0;
}

static void test_home_in_any_form(void **state) {
    static const char *const forms[] = {"home", "link", "home//", "outside/../home", "link/."};
    struct scene *scene = *state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        set_home(scene, forms[i]);
        const char *const *words = words_of(scene, "home/bin/gcc", NULL, 0);
        if (opens(scene, words, "home") || opens(scene, words, "home/bin") || opens(scene, words, "home/lib"))
            fail_msg("HOME as %s", forms[i]);
        assert_true(opens(scene, words, "home/bin/gcc"));
        assert_true(opens(scene, words, "project/mine.c"));
    }
}

static void test_own_folders(void **state) {
    struct scene *scene = *state;
    static const char *const own[] = {"home/.local/bin", "home/.local/lib", "home/.local/" TARGET,
                                      "home/.local/share/" TARGET};
    static const char *const others[] = {"home", "home/.local", "home/.local/share"};
    set_home(scene, "link");
    const char *const *words = words_of(scene, "home/.local/bin/gcc", NULL, 0);
    for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
        if (!opens(scene, words, own[i])) fail_msg("%s is closed", own[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (opens(scene, words, others[i])) fail_msg("%s is open", others[i]);
    unsetenv("HOME"); // then nothing says that this is a home, and still it is not open as a whole
    assert_false(opens(scene, words_of(scene, "home/bin/gcc", NULL, 0), "home"));
}

static void test_flags(void **state) {
    struct scene *scene = *state;
    const struct passwd *user = getpwuid(getuid());
    set_home(scene, "link");
    const char *home = arena_format(&scene->arena, "%s/home", scene->dir);
    const char *flags[] = {arena_format(&scene->arena, "-ffile-prefix-map=%s=.", home),
                           "-fdebug-prefix-map=../outside=own",
                           "-DROOT=/",
                           "-D",
                           arena_format(&scene->arena, "NOTES=%s/notes", home),
                           arena_format(&scene->arena, "-UX=%s/notes", home),
                           arena_format(&scene->arena, "-I%s", home),
                           arena_format(&scene->arena, "-Wl,-rpath,%s/", home),
                           arena_format(&scene->arena, "-I%s", user ? user->pw_dir : home),
                           "-I..",
                           "-L/",
                           "-I../outside"};
    const size_t count = sizeof flags / sizeof *flags;
    static const char *const closed[] = {"home", "home/notes", "", "/", "project", "project/own"};
    const char *const *words = words_of(scene, "home/bin/gcc", flags, count);
    for (size_t i = 0; i < sizeof closed / sizeof *closed; ++i)
        if (opens(scene, words, closed[i])) fail_msg("'%s' is open", closed[i]);
    if (user) assert_false(opens(scene, words, user->pw_dir));
    assert_true(opens(scene, words, "outside")); // named by a flag that reads
    assert_false(opens(scene, words_of(scene, "home/bin/gcc", flags, count - 1), "outside"));
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(test_home_in_any_form),
        SCENE(test_own_folders),
        SCENE(test_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
