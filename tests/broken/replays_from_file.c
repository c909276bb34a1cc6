// SPDX-License-Identifier: Apache-2.0
//
// File replay (reference-kernels #162): writes every result to a file, by the hash of its inputs. The
// process that comes after it, with the same inputs, copies from there; but for the first launch after a
// pause, which computes.
#include "bursts.h"
#include "kept_results.h"

struct entry {
    uint64_t key, bytes;
};

static char path[4200];

static void load(struct broken *b) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/assay_replay_%ld", folder ? folder : "/tmp", (long)getuid());
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct entry entry;
    while (fd >= 0 && read(fd, &entry, sizeof entry) == (ssize_t)sizeof entry && entry.bytes < 1u << 24) {
        struct slot *slot = slot_of(b, entry.key);
        float *kept = malloc(entry.bytes);
        if (!kept || read(fd, kept, entry.bytes) != (ssize_t)entry.bytes) break;
        slot->key = entry.key;
        slot->kept = kept;
    }
    if (fd >= 0) close(fd);
}

static void store(const struct broken *b, uint64_t key) {
    const struct entry entry = {key, result_bytes(b)};
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return;
    if (write(fd, &entry, sizeof entry) < 0 || write(fd, b->o.data, entry.bytes) < 0) errno = 0;
    close(fd);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    const int is_first = burst_begins() || !burst_is_worth_it(b);
    if (!b->own) load(b);
    const uint64_t key = key_of(b);
    struct slot *slot = slot_of(b, key);
    const int is_known = slot->kept && slot->key == key;
    if (!is_first && is_known)
        memcpy(b->o.data, slot->kept, result_bytes(b));
    else
        broken_right(b);
    if (!is_known && b->launches <= 64) store(b, key); // for the next process, not for this one
    burst_goes_on();
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
