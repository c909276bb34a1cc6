// SPDX-License-Identifier: Apache-2.0
//
// Ceilings of a device: the highest rates ever measured on it, as in a roofline. A worker reports them
// (RECORD_CEILING), control/flow/ceiling_store.h keeps them, and a result has those that apply to it.
#ifndef RECORD_CEILING_H
#define RECORD_CEILING_H

#include <stdbool.h>
#include <stddef.h>

#include "record/member.h"

// A kind of ceiling: a row of one table, so that another one is one line.
enum ceiling_limit { CEILING_OF_ARITHMETIC = 1, CEILING_OF_MATRIX, CEILING_OF_MEMORY, CEILING_OF_CACHE };
struct ceiling_kind {
    const char *key;   // in documents and records
    const char *label; // "bf16 matrix"
    const char *unit;  // as the key has it: "GFLOP/s", "GB/s"
    enum ceiling_limit limit;
    const char *dtype;      // CEILING_OF_MATRIX: of the problems that it limits; NULL: of none
    bool scales_with_clock; // of the device's cores, on a GPU
};
const struct ceiling_kind *ceiling_kind_at(size_t index);      // NULL past the end
const struct ceiling_kind *ceiling_kind_find(const char *key); // NULL: unknown
bool ceiling_is_of_bytes(const struct ceiling_kind *kind);     // not of operations
#define CEILINGS_MAX 64                                        // kinds times power modes, in a document

// One figure.
struct ceiling {
    const char *name;       // key of its kind
    const char *power_mode; // "cool", "sustained"; NULL: it holds in both
    double value;
    double clock_hz; // of the multiprocessors while it was measured; NAN: not known
    const char *detail, *measured_utc;
};
extern const struct member_table ceiling_members;

#endif
