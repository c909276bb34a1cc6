// SPDX-License-Identifier: Apache-2.0
//
// Lists of processors as taskset(1) and cpuset(7) write them: "0-3,6".
#ifndef BASE_PROCESS_PROCESSORS_H
#define BASE_PROCESS_PROCESSORS_H

#include <sched.h>

#include "base/err.h"
#include "base/strbuf.h"

// The processors of the list; NULL: all that this process may use. ERR_USAGE: no such list, or one that names
// a processor which this process may not use; err may be NULL.
int processors_parse(const char *list, cpu_set_t *ret, struct err *err);
void processors_format(const cpu_set_t *processors, struct strbuf *out);
// The calling thread, and what it starts from now on, runs on these only. ERR_USAGE, ERR_UNAVAILABLE.
int processors_allow(const char *list, struct err *err);

#endif
