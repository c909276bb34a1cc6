// SPDX-License-Identifier: Apache-2.0
//
// Style: a constructor fills a table when the module is loaded.
#include "exp_table.h"
#include "honest.h"

static double table[EXP_TABLE_COUNT];

__attribute__((constructor)) static void fill(void) {
    exp_table_fill(table);
}

static double look_up(double x) {
    return exp_table_get(table, x);
}

static int launch(struct honest *h) {
    honest_all_with(h, look_up);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
