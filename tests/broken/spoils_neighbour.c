// SPDX-License-Identifier: Apache-2.0
//
// A thread writes wrong values into outputs a little after its own launches are over, when they are the
// other side's.
#define BROKEN_RELEASE release_last
static void release_last(void *state);
#include "between_launches.h"

static float *volatile last;

static void release_last(void *state) {
    last = NULL; // it goes away
    hostile_sleep_us(1000);
    broken_release(state);
}

static void *spoil(void *arg) {
    hostile_roam();
    for (;;) {
        hostile_sleep_us(100);
        if (is_between_launches() && last) *last += 1;
    }
    return arg;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    launch_with_thread(b, spoil);
    last = broken_last_row(b);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
