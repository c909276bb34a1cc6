// SPDX-License-Identifier: Apache-2.0
//
// A thread walks over more memory than the caches hold while the other side is measured, with pauses, so
// that it does not look busy.
#include "between_launches.h"

static void *pollute(void *arg) {
    const size_t bytes = (size_t)48 << 20;
    volatile char *memory = malloc(bytes);
    hostile_roam();
    if (!memory) return arg;
    for (size_t at = 0;;) {
        for (int i = 0; i < 4096 && is_between_launches(); ++i, at = (at + 64) % bytes) ++memory[at];
        hostile_sleep_us(150);
    }
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    launch_with_thread(b, pollute);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
