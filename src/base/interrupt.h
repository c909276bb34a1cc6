// SPDX-License-Identifier: Apache-2.0
//
// SIGINT and SIGTERM as a flag, which whoever waits for something asks.
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <stdbool.h>

// From now on the first signal sets the flag instead of ending the process: whoever waits for children kills
// them. A second signal ends it.
void interrupt_catch(void);
bool interrupt_is_set(void);

#endif
