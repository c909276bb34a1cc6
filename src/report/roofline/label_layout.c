// SPDX-License-Identifier: Apache-2.0
//
// Greedy: the places around a mark are tried ring by ring, the right side first. A few hundred labels are few
// enough to compare each with each.
#include "report/roofline/label_layout_internal.h"

enum { RINGS = 9, DIRECTIONS = 8 };
#define RING_STEP 9.0 // between rings; the first is clear of the mark itself

struct label_layout label_layout_make(struct rect frame, size_t room, struct arena *arena) {
    return (struct label_layout){
        .frame = frame, .room = room, .taken = arena_array(arena, room, sizeof(struct rect))};
}

void label_layout_take(struct label_layout *layout, struct rect rect) {
    if (layout->count < layout->room) layout->taken[layout->count++] = rect;
}

static bool meets(const struct rect *a, const struct rect *b) {
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

static bool is_free(const struct label_layout *layout, const struct rect *rect) {
    const struct rect *frame = &layout->frame;
    if (rect->x < frame->x || rect->y < frame->y || rect->x + rect->width > frame->x + frame->width ||
        rect->y + rect->height > frame->y + frame->height)
        return false;
    for (size_t i = 0; i < layout->count; ++i)
        if (meets(&layout->taken[i], rect)) return false;
    return true;
}

bool label_layout_place(struct label_layout *layout, double x, double y, struct rect *label) {
    // Towards right, left, above, below, then the corners.
    static const int directions[DIRECTIONS][2] = {{1, 0},  {-1, 0}, {0, -1},  {0, 1},
                                                  {1, -1}, {1, 1},  {-1, -1}, {-1, 1}};
    for (int ring = 1; ring <= RINGS; ++ring)
        for (int i = 0; i < DIRECTIONS; ++i) {
            const int dx = directions[i][0], dy = directions[i][1];
            const double far = RING_STEP * ring;
            struct rect at = *label;
            at.x = dx > 0 ? x + far : dx < 0 ? x - far - label->width : x - label->width / 2;
            at.y = dy > 0 ? y + far : dy < 0 ? y - far - label->height : y - label->height / 2;
            if (!is_free(layout, &at)) continue;
            label_layout_take(layout, at);
            *label = at;
            return true;
        }
    return false;
}
