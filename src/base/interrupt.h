// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP (a closed terminal) set a flag, which every waiting loop checks.
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

// From now on the first signal sets the flag instead of ending the process, so that code that waits for
// children can kill them. A second signal ends the process. SIGHUP stays ignored where it is (nohup).
void interrupt_catch(void);
bool interrupt_is_set(void);

#endif
