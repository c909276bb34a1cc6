// SPDX-License-Identifier: Apache-2.0
//
// A lock that the processes of several users share: a file with a known name in a folder where everybody may
// write, such as /tmp. Anybody may have put anything there, so nothing that is not an ordinary file is
// locked, nothing is followed, and what a file says is for display only. The lock is the system's (flock): it
// ends with the descriptor, so with the process. The file stays, since removing it would let two processes
// lock two files of one name.
#ifndef BASE_SHARED_LOCK_H
#define BASE_SHARED_LOCK_H

#include <stdint.h>

#include "base/err.h"

// Who holds it, as the file says. pid 0: it does not say.
struct lock_holder {
    long pid;
    int64_t since_s;  // in Unix time
    char command[17]; // letters only
};

enum { SHARED_LOCK_TAKEN = 0, SHARED_LOCK_HELD = 1 };

// Tries once. TAKEN: *ret_fd is open, is not inherited, and the caller closes it to release the lock. HELD:
// by another process, *ret_holder says which. ERR_CREATE: there can be no lock of this name.
int shared_lock_try(const char *path, int *ret_fd, struct lock_holder *ret_holder, struct err *err);

// Writes who holds it, for those who wait. What cannot be written is not.
void shared_lock_sign(int fd, const struct lock_holder *holder);

#endif
