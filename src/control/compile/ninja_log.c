// SPDX-License-Identifier: Apache-2.0
//
// A line: begin, end (both in ms since Ninja was started), time of the file, output, hash of the command,
// with tabs between them. Other lines are comments.
#include "control/compile/ninja_log_internal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The time in ms if the line is of an output below folder, else -1.
static double line_ms(const char *line, const char *folder) {
    char *end = NULL;
    if (!isdigit((unsigned char)*line)) return -1;
    const double began = (double)strtoull(line, &end, 10);
    if (*end != '\t' || !isdigit((unsigned char)end[1])) return -1;
    const double ended = (double)strtoull(end + 1, &end, 10);
    if (*end != '\t') return -1;
    const char *output = end + 1 + strcspn(end + 1, "\t\n");
    const size_t length = strlen(folder);
    if (*output != '\t' || strncmp(output + 1, folder, length) != 0 || output[1 + length] != '/') return -1;
    return ended >= began ? ended - began : -1;
}

double ninja_log_seconds(const char *log, const char *folder) {
    double sum_ms = NAN;
    while (log && *log) {
        const double ms = line_ms(log, folder);
        if (ms >= 0) sum_ms = (isnan(sum_ms) ? 0 : sum_ms) + ms;
        log += strcspn(log, "\n");
        if (*log) ++log;
    }
    return sum_ms / 1000;
}
