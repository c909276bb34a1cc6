// SPDX-License-Identifier: Apache-2.0
//
// Reads what `ncu --csv` prints: the raw page (a column a metric, a row of units, a row a launch) and the
// details page (a row a metric). Other lines of the profiler around it are skipped. A file may come from
// anywhere.
#ifndef PROFILE_NSIGHT_CSV_H
#define PROFILE_NSIGHT_CSV_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "record/launch_counters.h"

// Values are in base units: ns, Hz, byte, byte/s, %; NAN where a cell holds no number.
struct nsight_report {
    size_t launch_count;
    struct launch_counters *launches; // in order of the file
};

// Everything lives in the arena. ERR_DATA: no page of ncu, a torn row, no launch in it, or the sentence of a
// failure that the text states; where: its name in messages.
int nsight_csv_parse(const char *text, const char *where, struct arena *arena, struct nsight_report *ret,
                     struct err *err);

// A raw page of these launches, in base units: nsight_csv_parse reads it back.
void nsight_csv_write(const struct nsight_report *report, struct strbuf *out);

// The same of a file, up to 16 MiB.
int nsight_csv_read(const char *path, struct arena *arena, struct nsight_report *ret, struct err *err);

// The value of the first of the names (a list that ends with NULL) that has one; NAN: none.
double nsight_find(const struct launch_counters *launch, const char *const *names);

// The failure that the profiler's output states, with its remedy; NULL: none that is known.
const char *nsight_failure(const char *text);

#endif
