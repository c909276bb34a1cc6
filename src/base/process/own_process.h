// SPDX-License-Identifier: Apache-2.0
//
// What this process asks of the system for itself.
#ifndef BASE_PROCESS_OWN_PROCESS_H
#define BASE_PROCESS_OWN_PROCESS_H

#include "base/err.h"

// The least stack with which all of assay works. Its own frames need a tenth of it, build tools the most.
#define OWN_STACK_BYTES_MIN ((unsigned long long)1 << 20)

// Makes sure of that stack, for this process and those that it starts: a lower limit is raised where the
// system lets us. ERR_UNAVAILABLE: it does not.
int own_process_need_stack(struct err *err);

// Other processes of the same user may neither write into our memory (/proc/PID/mem, ptrace) nor read it. It
// holds for this process only: programs that it starts are as usual. No core file is written.
void own_process_hide(void);

#endif
