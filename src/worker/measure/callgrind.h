// SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of another program with Valgrind's callgrind, which simulates a processor: counts
// are the same on every machine of one architecture and under any load. It has no AVX-512, so a program that
// asks the processor takes its path for AVX2.
#ifndef WORKER_MEASURE_CALLGRIND_H
#define WORKER_MEASURE_CALLGRIND_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CALLGRIND_PROGRAM "valgrind"

// The instructions in what callgrind wrote: its last line of totals. ERR_DATA when there is none.
int callgrind_parse(const char *text, size_t length, uint64_t *ret, struct err *err);

struct callgrind_request {
    const char *const *argv; // NULL-terminated; argv[0] is a path
    const char *function;    // counts its calls alone, with all that they call; the program must export it
    const char *stdin_text;
    size_t stdin_length;
};

// Runs the program to its end, on one thread where it leaves that to OpenMP, and counts the instructions of
// the function's calls. Lines that it writes to descriptor 3 are dropped. ERR_UNAVAILABLE: there is no
// Valgrind, or the program does not end well in it; the sentence has its last words.
int callgrind_run(const struct callgrind_request *request, uint64_t *ret, struct err *err);

#endif
