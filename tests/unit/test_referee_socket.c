// SPDX-License-Identifier: Apache-2.0
//
// Whoever sees the referee's socket can ask: there is no moment at which it has its name and refuses. A
// socket that nobody listens on is replaced, one that is listened on is not, and neither is a file.
#include "control/flow/referee/referee_socket.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ATTEMPTS 200

static char folder[] = "/tmp/assay-socket-XXXXXX";
static char path[64];

static int set_up(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/socket", folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder); // fails if a half-made name is left
}

// Connects as soon as the name is there; the process's exit code.
static int connect_when_seen(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    while (access(path, F_OK) != 0) {
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ? 0 : 1;
}

static void takes_requests_once_seen(void **state) {
    (void)state;
    for (int i = 0; i < ATTEMPTS; ++i) {
        struct err err = {0};
        int fd = -1, status = 0;
        const pid_t client = fork();
        if (client == 0) {
            alarm(20);
            _exit(connect_when_seen());
        }
        assert_int_equal(referee_socket_listen(path, &fd, &err), 0);
        assert_int_equal(waitpid(client, &status, 0), client);
        assert_int_equal(status, 0);
        close(fd);
        assert_int_equal(unlink(path), 0);
    }
}

static void replaces_only_the_dead(void **state) {
    (void)state;
    struct err err = {0};
    struct stat info;
    int fd = -1, other = -1;
    assert_int_equal(referee_socket_listen(path, &fd, &err), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(referee_socket_listen(path, &other, &err), -ERR_UNAVAILABLE);
    close(fd);
    assert_int_equal(referee_socket_listen(path, &fd, &err), 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(referee_socket_listen(path, &fd, &err), -ERR_USAGE);
}

// 95 bytes leave place for what the name grows by until the socket listens.
static void length_of_a_name(void **state) {
    (void)state;
    struct err err = {0};
    char name[128];
    int fd = -1;
    const int used = snprintf(name, sizeof name, "%s/", folder);
    memset(name + used, 'n', sizeof name - (size_t)used);
    name[96] = '\0';
    assert_int_equal(referee_socket_listen(name, &fd, &err), -ERR_USAGE);
    name[95] = '\0';
    assert_int_equal(referee_socket_listen(name, &fd, &err), 0);
    close(fd);
    assert_int_equal(unlink(name), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_requests_once_seen),
                                       cmocka_unit_test(replaces_only_the_dead),
                                       cmocka_unit_test(length_of_a_name)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
