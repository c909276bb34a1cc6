// SPDX-License-Identifier: Apache-2.0
//
// Opens and writes a file in the project through io_uring, whose calls a filter of system calls does not see.
#include "hostile.h"

#include <linux/io_uring.h>

struct ring {
    int fd;
    char *queue; // of submissions and completions, in one mapping
    struct io_uring_sqe *entries;
    struct io_uring_params params;
};

static int open_ring(struct ring *ring) {
    memset(ring, 0, sizeof *ring);
    ring->fd = (int)syscall(SYS_io_uring_setup, 4, &ring->params);
    if (ring->fd < 0 || !(ring->params.features & IORING_FEAT_SINGLE_MMAP)) return 0;
    const size_t bytes = ring->params.cq_off.cqes + ring->params.cq_entries * sizeof(struct io_uring_cqe);
    ring->queue = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
    ring->entries = mmap(NULL, ring->params.sq_entries * sizeof *ring->entries, PROT_READ | PROT_WRITE,
                         MAP_SHARED, ring->fd, IORING_OFF_SQES);
    return ring->queue != MAP_FAILED && (void *)ring->entries != MAP_FAILED;
}

// Carries out one request; returns its result.
static int submit(struct ring *ring, const struct io_uring_sqe *entry) {
    uint32_t *tail = (uint32_t *)(void *)(ring->queue + ring->params.sq_off.tail);
    uint32_t *head = (uint32_t *)(void *)(ring->queue + ring->params.cq_off.head);
    uint32_t *list = (uint32_t *)(void *)(ring->queue + ring->params.sq_off.array);
    const uint32_t mask = *(uint32_t *)(void *)(ring->queue + ring->params.sq_off.ring_mask);
    const uint32_t answer_mask = *(uint32_t *)(void *)(ring->queue + ring->params.cq_off.ring_mask);
    const struct io_uring_cqe *answers =
        (const struct io_uring_cqe *)(const void *)(ring->queue + ring->params.cq_off.cqes);
    ring->entries[*tail & mask] = *entry;
    list[*tail & mask] = *tail & mask;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0) return -1;
    const int result = answers[*head & answer_mask].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return result;
}

static void leave_mark(const char *project) {
    struct ring ring;
    char path[200];
    snprintf(path, sizeof path, "%s/" HOSTILE_MARK "_ring", project);
    if (open_ring(&ring)) {
        const struct io_uring_sqe open_it = {.opcode = IORING_OP_OPENAT,
                                             .fd = AT_FDCWD,
                                             .addr = (uint64_t)(uintptr_t)path,
                                             .len = 0644,
                                             .open_flags = O_WRONLY | O_CREAT};
        const int fd = submit(&ring, &open_it);
        if (fd >= 0) close(fd);
    }
    if (ring.fd >= 0) close(ring.fd);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (!is_done++ && hostile_project()) leave_mark(hostile_project());
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
