// SPDX-License-Identifier: Apache-2.0
//
// One measurement at a time on a device: commands that measure take its lock, and wait while another assay
// has it. Without it, two gates that begin together disturb each other until neither can decide. A simulated
// device has a time of its own and no lock.
#ifndef CONTROL_FLOW_DEVICE_LOCK_H
#define CONTROL_FLOW_DEVICE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

// A command has one, zeroed at first. Once taken it is held until the device is not used any more, over all
// measurements of the command: what it does between two of them, such as compiling the next commit, would
// disturb whoever measured meanwhile.
struct device_lock {
    bool is_impatient; // --no-wait
    bool is_settled;   // held, or known not to be possible
    bool is_held;
    int fd;
    char outer[256]; // what ASSAY_LOCK_HELD was before; "": it was not set
    uint64_t waited_ns;
};

struct device_lock_user {
    const char *command; // for those who wait
    const char *device;
    uint32_t thread_count;
    void (*on_notice)(void *arg, const char *text); // why it waits, or why there is no lock; may be NULL
    void *arg;
};

// Waits until the device is free, unless this command, or one that started it, has its lock. 0 also where no
// lock can be made, which is said. ERR_BUSY: another assay has it and is_impatient is set; ERR_CANCELLED:
// interrupted. lock NULL: of a command that measures nothing.
int device_lock_take(struct device_lock *lock, const struct device_lock_user *user, struct err *err);
// So that others can measure while this command writes and publishes. Accepts NULL, and one that is not held.
void device_lock_release(struct device_lock *lock);
// How long the command has waited, which counts against no limit of its own. lock may be NULL.
uint64_t device_lock_waited_ns(const struct device_lock *lock);

#endif
