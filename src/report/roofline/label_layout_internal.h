// SPDX-License-Identifier: Apache-2.0
//
// Places for labels: beside what they name, on nothing that is there already.
#ifndef REPORT_ROOFLINE_LABEL_LAYOUT_INTERNAL_H
#define REPORT_ROOFLINE_LABEL_LAYOUT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct rect {
    double x, y, width, height; // y downwards
};

struct label_layout {
    struct rect frame; // labels stay inside
    size_t count, room;
    struct rect *taken; // in the arena
};

// room: rectangles at most, of marks and labels together; what is past it is not kept apart.
struct label_layout label_layout_make(struct rect frame, size_t room, struct arena *arena);
void label_layout_take(struct label_layout *layout, struct rect rect);
// The nearest free place around (x, y), from `near` on, for a label of that size; it is taken then. False:
// there is none, and the label is left out.
bool label_layout_place(struct label_layout *layout, double x, double y, struct rect *label);

#endif
