// SPDX-License-Identifier: Apache-2.0
//
// Packets over the channel: whole or refused, with the descriptors they bring or none, and whatever the other
// end does, no descriptor is left open here.
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "worker/host/host_channel.h"

#define MS UINT64_C(1000000)

static int ends[2];

static int set_up(void **state) {
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i)
        if (ends[i] >= 0) close(ends[i]);
    return 0;
}

static size_t count_descriptors(void) {
    DIR *dir = opendir("/proc/self/fd");
    size_t count = 0;
    while (readdir(dir)) ++count;
    closedir(dir);
    return count;
}

static int memory(char byte) {
    const int fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(write(fd, &byte, 1), 1);
    return fd;
}

// As a hostile end may: any number of descriptors with any packet.
static void send_raw(const void *bytes, size_t count, const int *fds, size_t fd_count) {
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * HOST_FDS_MAX * sizeof(int))];
    } room;
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd_count) {
        memset(&room, 0, sizeof room);
        message.msg_control = room.bytes;
        message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
    }
    assert_int_equal(sendmsg(ends[1], &message, MSG_NOSIGNAL), count);
}

static void test_packets(void **state) {
    (void)state;
    char got[8];
    struct host_fds fds = {.count = 99};
    assert_int_equal(host_channel_send(ends[1], "seven..", 8, NULL), 0);
    assert_int_equal(host_channel_send(ends[1], "another", 8, NULL), 0);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, &fds, 0), 1);
    assert_string_equal(got, "seven..");
    assert_int_equal(fds.count, 0);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, clock_ns() + 1000 * MS), 1);
    assert_string_equal(got, "another");
}

static void test_descriptors(void **state) {
    (void)state;
    const size_t before = count_descriptors();
    struct host_fds fds = {.count = HOST_FDS_MAX}, none = {0};
    char got[8], byte;
    for (size_t i = 0; i < fds.count; ++i) fds.items[i] = memory((char)('a' + i));
    assert_int_equal(host_channel_send(ends[1], "seven..", 8, &fds), 0);
    assert_int_equal(host_channel_send(ends[1], "seven..", 8, &fds), 0);
    assert_int_equal(host_channel_send(ends[1], "seven..", 8, &none), 0);
    for (size_t i = 0; i < fds.count; ++i) close(fds.items[i]);
    memset(&fds, 0, sizeof fds);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, &fds, 0), 1);
    assert_int_equal(fds.count, HOST_FDS_MAX);
    for (size_t i = 0; i < fds.count; ++i) {
        assert_int_equal(pread(fds.items[i], &byte, 1, 0), 1);
        assert_int_equal((unsigned char)byte, 'a' + i);
        close(fds.items[i]);
    }
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 1); // nobody wants them: closed
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, &fds, 0), 1);
    assert_int_equal(fds.count, 0);
    assert_int_equal(count_descriptors(), before);
}

static void test_wrong_sizes(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 7, 9, 4096, 100000};
    static char bytes[100000];
    const size_t before = count_descriptors();
    const int fd = memory('x');
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct host_fds fds = {.count = 99};
        char got[8];
        send_raw(bytes, sizes[i], &fd, 1);
        assert_int_equal(host_channel_receive(ends[0], got, sizeof got, &fds, 0), -1);
        assert_int_equal(errno, EBADMSG);
        assert_int_equal(fds.count, 0);
    }
    close(fd);
    assert_int_equal(count_descriptors(), before); // theirs are closed too
    assert_int_equal(host_channel_send(ends[1], "seven..", 8, NULL), 0);
    char got[8];
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 1); // the channel goes on
}

// Of a request only the windows in use travel.
static void test_requests(void **state) {
    (void)state;
    static struct host_request sent, got;
    struct host_fds fds;
    for (uint32_t i = 0; i < HOST_FDS_MAX; ++i) sent.windows[i].bytes = 100 + i;
    for (uint32_t count = 0; count <= HOST_FDS_MAX; count += HOST_FDS_MAX / 4) {
        sent.command = HOST_MAP_SET;
        sent.window_count = count;
        memset(&got, 0xff, sizeof got);
        assert_int_equal(host_request_send(ends[1], &sent, NULL), 0);
        assert_int_equal(host_request_receive(ends[0], &got, &fds), 1);
        assert_int_equal(got.window_count, count);
        for (uint32_t i = 0; i < HOST_FDS_MAX; ++i)
            assert_true(got.windows[i].bytes == (i < count ? 100 + i : UINT64_MAX));
    }
    const size_t head = offsetof(struct host_request, windows);
    const size_t wrong[] = {1, head - 1, head, head + sizeof *sent.windows + 1};
    sent.window_count = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        send_raw(&sent, wrong[i], NULL, 0);
        assert_int_equal(host_request_receive(ends[0], &got, &fds), -1);
        assert_int_equal(errno, EBADMSG);
    }
    sent.window_count = UINT32_MAX;
    send_raw(&sent, sizeof sent, NULL, 0);
    assert_int_equal(host_request_receive(ends[0], &got, &fds), -1);
}

// More descriptors than fit: the kernel drops some, and the others are no gift.
static void test_too_many_descriptors(void **state) {
    (void)state;
    const size_t before = count_descriptors();
    enum { MANY = HOST_FDS_MAX + 8 }; // a control message has room for one more, by its alignment
    int many[MANY];
    for (size_t i = 0; i < MANY; ++i) many[i] = memory('m');
    send_raw("seven..", 8, many, MANY);
    for (size_t i = 0; i < MANY; ++i) close(many[i]);
    struct host_fds fds = {0};
    char got[8];
    const int code = host_channel_receive(ends[0], got, sizeof got, &fds, 0);
    assert_true(fds.count <= HOST_FDS_MAX);
    assert_int_equal(code, -1);
    assert_int_equal(errno, EBADMSG);
    assert_int_equal(count_descriptors(), before);
}

static void test_ends_that_close(void **state) {
    (void)state;
    char got[8];
    assert_int_equal(host_channel_send(ends[1], "the last", 8, NULL), 0);
    close(ends[1]);
    ends[1] = -1;
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 1);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 0);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, clock_ns() + MS), 0);
    assert_int_equal(host_channel_send(ends[0], "anybody?", 8, NULL), -1); // and no SIGPIPE
}

// An end that has read nothing and closes: that is an end too, not an error.
static void test_reset(void **state) {
    (void)state;
    char got[8];
    assert_int_equal(host_channel_send(ends[0], "unread..", 8, NULL), 0);
    close(ends[1]);
    ends[1] = -1;
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 0);
}

static void test_deadlines(void **state) {
    (void)state;
    char got[8];
    const uint64_t start_ns = clock_ns();
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, start_ns + 30 * MS), -1);
    assert_int_equal(errno, ETIMEDOUT);
    assert_true(clock_ns() - start_ns >= 30 * MS);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 1), -1); // long ago
    assert_int_equal(errno, ETIMEDOUT);
    const struct timeval limit = {.tv_usec = 20000}; // as the judge waits
    assert_int_equal(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), -1);
    assert_int_equal(errno, EAGAIN);
}

// The kernel limits what lies unread, so a host that floods the channel waits; the judge reads one packet.
static void test_flood(void **state) {
    (void)state;
    const struct timeval limit = {.tv_usec = 20000};
    assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), 0);
    size_t count = 0;
    while (count < 1000000 && host_channel_send(ends[1], "flood..", 8, NULL) == 0) ++count;
    assert_int_equal(errno, EAGAIN);
    char got[8];
    assert_int_equal(host_channel_receive(ends[0], got, sizeof got, NULL, 0), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(test_packets),     TEST(test_descriptors),
                                       TEST(test_wrong_sizes), TEST(test_too_many_descriptors),
                                       TEST(test_requests),    TEST(test_ends_that_close),
                                       TEST(test_reset),       TEST(test_deadlines),
                                       TEST(test_flood)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
