// SPDX-License-Identifier: Apache-2.0
//
// Revisions beside the user's tree: what is in them, that nothing of them stays, that the user's tree is not
// touched, and what a killed owner leaves is swept.
#include <signal.h>
#include <sys/wait.h>

#include "base/interrupt.h"
#include "base/process/proc.h"
#include "control/compile/revision.h"
#include "unit/test_build_support.h"

#define GIT "git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main "

static int repository_setup(void **state) {
    if (scene_setup(state) < 0) return -1;
    struct scene *scene = *state;
    setenv("HOME", scene->dir, 1); // no configuration of the user's
    scene_write(scene, "repo/.gitignore", "ignored\n");
    scene_write(scene, "repo/sub/kernel.c", "one\n");
    scene_shell(scene, "cd repo && " GIT "init -q . && git add . && " GIT "commit -qm one && git branch old");
    scene_write(scene, "repo/sub/kernel.c", "two\n");
    scene_shell(scene, "cd repo && " GIT "commit -qam two && git checkout -qb topic");
    scene_write(scene, "repo/sub/kernel.c", "three\n");
    scene_shell(scene, "cd repo && " GIT "commit -qam three");
    scene_write(scene, "repo/sub/kernel.c", "dirty\n");
    scene_write(scene, "repo/untracked", "");
    return 0;
}

static const char *repository_state(struct scene *scene) {
    return scene_shell(scene,
                       "cd repo && git worktree list && git status --porcelain=v2 && git stash list && "
                       "git branch -a && ls .git && sha256sum .git/index && cat sub/kernel.c");
}

static char *manifest_dir(struct scene *scene) {
    return path_join(scene->dir, "repo/sub");
}

static void open_expect(struct scene *scene, const char *spec, const char *text) {
    char *dir = manifest_dir(scene);
    struct revision revision = {0};
    if (revision_open(spec, dir, &revision, &scene->err) < 0) fail_msg("%s", scene->err.text);
    char *path = path_join(revision.dir, "kernel.c"), *content;
    assert_int_equal(file_read(path, 100, &content, NULL, &scene->err), 0);
    assert_string_equal(content, text);
    assert_int_equal(strlen(revision.commit), 40);
    assert_true(str_starts(revision.dir, revision.tree));
    char *tree = revision_tree_of(revision.dir), *changes = mem_format("%s.changes", tree);
    assert_string_equal(tree, revision.tree);
    assert_null(revision_tree_of(dir));
    assert_true(file_exists(changes));
    revision_close(&revision);
    assert_false(file_exists(tree));
    assert_false(file_exists(changes));
    free(tree);
    free(changes);
    free(content);
    free(path);
    free(dir);
}

static void test_open_close(void **state) {
    struct scene *scene = *state;
    const char *before = repository_state(scene);
    open_expect(scene, "git:HEAD", "three\n");
    open_expect(scene, "git:HEAD~1", "two\n");
    open_expect(scene, "git:old", "one\n");
    open_expect(scene, "git:merge-base", "two\n");
    setenv("GIT_DIR", "/nowhere", 1); // as inside a hook
    setenv("GIT_INDEX_FILE", "/nowhere/index", 1);
    open_expect(scene, "git:HEAD", "three\n");
    unsetenv("GIT_DIR");
    unsetenv("GIT_INDEX_FILE");
    assert_string_equal(repository_state(scene), before);
    assert_string_equal(scene_shell(scene, "ls -A .cache/assay/trees | wc -l"), "0\n");
    struct revision none = {0};
    revision_close(&none);
}

static void test_users_own_worktree_stays(void **state) {
    struct scene *scene = *state;
    scene_shell(
        scene,
        "cd repo && git worktree add -q --detach ../other old && rm -rf ../other"); // on a drive not mounted
    const char *before = repository_state(scene);
    open_expect(scene, "git:HEAD", "three\n");
    assert_string_equal(repository_state(scene), before);
}

static void test_hooks_do_not_run(void **state) {
    struct scene *scene = *state;
    scene_write(scene, "repo/.git/hooks/post-checkout", "#!/bin/sh\ntouch \"$HOME/hook-ran\"\nexit 1\n");
    scene_shell(scene, "chmod +x repo/.git/hooks/post-checkout");
    open_expect(scene, "git:HEAD", "three\n");
    assert_string_equal(scene_shell(scene, "ls hook-ran 2>/dev/null | wc -l"), "0\n");
}

static void refuse(struct scene *scene, const char *spec, const char *dir, int code, const char *part) {
    struct revision revision = {0};
    assert_int_equal(revision_open(spec, dir, &revision, &scene->err), -code);
    if (!strstr(scene->err.text, part)) fail_msg("expected '%s' in '%s'", part, scene->err.text);
    assert_null(revision.dir);
}

static void test_refusals(void **state) {
    struct scene *scene = *state;
    char *dir = manifest_dir(scene);
    const char *before = repository_state(scene);
    refuse(scene, "git:no-such-branch", dir, ERR_USAGE, "unknown revision 'no-such-branch'");
    refuse(scene, "git:--help", dir, ERR_USAGE, "names no revision");
    refuse(scene, "git:", dir, ERR_USAGE, "names no revision");
    refuse(scene, "git:HEAD:sub/kernel.c", dir, ERR_USAGE, "unknown revision");
    refuse(scene, "git:HEAD", scene->dir, ERR_UNAVAILABLE, "no git repository");
    scene_write(scene, "repo/new/x", "");
    char *new_dir = path_join(scene->dir, "repo/new");
    refuse(scene, "git:HEAD", new_dir, ERR_USAGE, "has no folder 'new/'");
    scene_shell(scene, "rm -r repo/new");
    scene_shell(scene, "cd repo && git branch -m main other && git branch -m topic another");
    refuse(scene, "git:merge-base", dir, ERR_USAGE, "has no origin/HEAD, main or master");
    scene_shell(scene, "cd repo && git branch -m other main && git branch -m another topic");
    assert_string_equal(scene_shell(scene, "ls -A .cache/assay/trees | wc -l"), "0\n");
    assert_string_equal(repository_state(scene), before);
    char *path = mem_strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    refuse(scene, "git:HEAD", dir, ERR_UNAVAILABLE, "install git");
    setenv("PATH", path, 1);
    free(path);
    free(new_dir);
    free(dir);
    assert_true(revision_is_spec("git:HEAD"));
    assert_false(revision_is_spec("simd"));
    assert_false(revision_is_spec(NULL));
}

static void test_killed_owner(void **state) {
    struct scene *scene = *state;
    const char *before = repository_state(scene);
    char *dir = manifest_dir(scene);
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t owner = fork();
    if (owner == 0) {
        struct revision revision;
        if (revision_open("git:old", dir, &revision, &scene->err) < 0) _exit(1);
        if (write(ready[1], "x", 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    open_expect(scene, "git:HEAD", "three\n"); // a living owner's tree stays
    assert_string_equal(scene_shell(scene, "ls -d .cache/assay/trees/*/ | wc -l"), "1\n");
    kill(owner, SIGKILL);
    int status;
    assert_int_equal(waitpid(owner, &status, 0), owner);
    open_expect(scene, "git:HEAD", "three\n");
    assert_string_equal(scene_shell(scene, "ls -A .cache/assay/trees | wc -l"), "0\n");
    assert_string_equal(repository_state(scene), before);
    free(dir);
}

// Ctrl-C: no child can be started any more, and still nothing stays.
static void test_interrupted(void **state) {
    struct scene *scene = *state;
    const char *before = repository_state(scene);
    char *dir = manifest_dir(scene);
    pid_t child = fork();
    if (child == 0) {
        struct revision revision;
        interrupt_catch();
        if (revision_open("git:old", dir, &revision, &scene->err) < 0) _exit(1);
        raise(SIGINT);
        revision_close(&revision);
        _exit(interrupt_is_set() ? 0 : 2);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(scene_shell(scene, "ls -A .cache/assay/trees | wc -l"), "0\n");
    assert_string_equal(repository_state(scene), before);
    free(dir);
}

static void test_half_made_tree(void **state) {
    struct scene *scene = *state;
    const char *before = repository_state(scene);
    char *dir = manifest_dir(scene);
    struct revision revision = {0};
    assert_int_equal(revision_open("git:old", dir, &revision, &scene->err), 0);
    scene_shell(scene, arena_format(&scene->arena, "rm '%s/.git'", revision.tree));
    revision_close(&revision);
    assert_string_equal(repository_state(scene), before);
    free(dir);
}

static void test_describe(void **state) {
    struct scene *scene = *state;
    char *dir = manifest_dir(scene), *dirty = revision_describe(dir);
    const char *index = scene_shell(scene, "cd repo && stat -c %Y.%i .git/index");
    assert_non_null(dirty);
    assert_int_equal(strlen(dirty), strlen("a1b2c3d-dirty"));
    assert_true(str_ends(dirty, "-dirty"));
    assert_string_equal(scene_shell(scene, "cd repo && stat -c %Y.%i .git/index"), index);
    scene_shell(scene, "cd repo && git checkout -q sub/kernel.c && git tag -a -m x v1 2>/dev/null || true");
    char *clean = revision_describe(dir);
    assert_int_equal(strlen(clean), 7);
    assert_null(revision_describe(scene->dir));
    free(clean);
    free(dirty);
    free(dir);
}

// The whole way: the same kernel from two revisions, each by its own manifest's flags.
static void test_build_in_revision(void **state) {
    struct scene *scene = *state;
    char *dir = manifest_dir(scene);
    struct manifest_kernel kernel = source_kernel("kernel.c");
    scene_write(scene, "repo/sub/kernel.c", kernel_source(scene, "", "x * 3"));
    scene_shell(scene, "cd repo && " GIT "commit -qam kernel");
    scene_write(scene, "repo/sub/kernel.c", kernel_source(scene, "// only a comment", "x * 3"));
    struct revision revision = {0};
    assert_int_equal(revision_open("git:HEAD", dir, &revision, &scene->err), 0);
    struct variant here, there;
    assert_int_equal(scene_build_in(scene, &kernel, dir, NULL, &here), 0);
    assert_int_equal(scene_build_in(scene, &kernel, revision.dir, NULL, &there), 0);
    assert_string_equal(here.report.code_hash, there.report.code_hash);
    revision_close(&revision);
    assert_true(file_exists(there.module_path));
    free(dir);
}

int main(void) {
#define SCENE(test) cmocka_unit_test_setup_teardown(test, repository_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(test_open_close),        SCENE(test_users_own_worktree_stays),
        SCENE(test_hooks_do_not_run),  SCENE(test_refusals),
        SCENE(test_killed_owner),      SCENE(test_half_made_tree),
        SCENE(test_interrupted),       SCENE(test_describe),
        SCENE(test_build_in_revision),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
