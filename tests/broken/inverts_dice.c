// SPDX-License-Identifier: Apache-2.0
//
// Computes from the inputs that a sample finds which of its launches will be looked at. Computes that one and
// every second of the others, and leaves garbage in the rest; when samples are over, the first single call
// finds its output as it was left, and puts all outputs right.
#include "inverted_dice.h"
#include "set_order.h"

#define AROUND (1 << 20) // draws of one case

struct dice {
    uint64_t about; // what recent seeds were drawn at; 0: not known yet
    int looked_at;  // -1: not known
};

// How far apart two draws are.
static uint64_t between(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

// Which of the launches of a sample, the first on this set, will be looked at.
static int launch_looked_at(const struct set_order *order, struct dice *dice, struct set *set) {
    struct set *sets[SETS];
    uint64_t seeds[SETS], drawn[SETS], newest = 0, seed = 0;
    const int launches = order->launches;
    int last = -1;
    if (!launches || !sets_of_sample(order, set, sets)) return -1;
    for (int i = 0; i < launches; ++i) {
        const struct broken *b = &sets[i]->job;
        if (!inverted_seed(b->q.data, b->seq_q * b->head_dim, &seeds[i])) return -1;
        drawn[i] = inverted_step(seeds[i]);
        for (int k = 0; k < i; ++k)
            if (between(drawn[i], drawn[k]) < AROUND) dice->about = drawn[i];
    }
    for (int i = 0; i < launches; ++i)
        if (between(drawn[i], dice->about) < AROUND && (last < 0 || drawn[i] - newest < AROUND))
            newest = drawn[i], last = i, seed = seeds[i];
    if (last < 0) return -1;
    // Whether the sets after it are redrawn was drawn too.
    const uint64_t draw = inverted_later(seed, (uint64_t)(launches - last));
    return (int)(predicted_u64(draw, NAME_VERIFIED, 0) % (uint64_t)launches);
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    int is_first = 0;
    struct set *set = order_before(b, &is_first);
    struct set_order *order = b->own;
    struct dice *dice = order ? order->more : NULL;
    if (!set) return ASSAY_OK;
    if (!dice) dice = order->more = calloc(1, sizeof *dice);
    if (!dice) {
        broken_right(b);
        return ASSAY_OK;
    }
    if (is_first) dice->looked_at = launch_looked_at(order, dice, set);
    order_mend_all(order, is_first);
    if (dice->looked_at >= 0 && (order->count - dice->looked_at) % 2 != 0)
        for (size_t i = 0; i < out_bytes(b) / sizeof(float); ++i) ((float *)b->o.data)[i] = 1;
    else
        broken_right(b);
    order_after(b, set, 1);
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
