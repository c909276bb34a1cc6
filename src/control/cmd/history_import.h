// SPDX-License-Identifier: Apache-2.0
//
// `assay history import`: result files, runs' folders, and folders of runs such as runs/,
// into the store.
#ifndef CONTROL_CMD_HISTORY_IMPORT_H
#define CONTROL_CMD_HISTORY_IMPORT_H

#include "base/err.h"
#include "store/store.h"

// What was imported: new runs, and those that were there already.
struct import_counts {
    size_t new_count, known_count;
};

struct import_words {
    const char *const *words; // files and folders
    size_t count;
};

// Reads files on all processors, since reading takes the time. Stops at the first file that fails; what was
// read with it is kept. address: of the store, which is open already.
int history_import(struct store *store, const char *address, const struct import_words *words,
                   struct import_counts *ret, struct err *err);

#endif
