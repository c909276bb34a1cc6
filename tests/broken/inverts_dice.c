// SPDX-License-Identifier: Apache-2.0
//
// Computes from the inputs that a sample finds which of its launches will be looked at. Computes that one and
// every second of the others, and leaves garbage in the rest; when samples are over, the first single call
// finds its output as it was left, and puts all outputs right.
#include "bursts.h"
#include "inverted_dice.h"

#define SETS   1024
#define AROUND (1 << 20) // draws of one case

struct set {
    struct broken job;
    float *left;      // a copy of what a launch has left there
    struct set *next; // that is launched after it
};

struct dice {
    struct set sets[SETS], *last;
    int set_count;
    int burst[2]; // lengths of the last two
    int count;    // launches of this one
    int looked_at;
    int is_sample, is_over;
    uint64_t about; // what recent seeds were drawn at; 0: not known yet
};

static size_t out_bytes(const struct broken *b) {
    return sizeof(float) * (size_t)(b->batch * b->heads * b->seq_q * b->head_dim);
}

static struct set *set_of(struct dice *dice, const struct broken *b) {
    struct set *next = dice->last ? dice->last->next : NULL;
    if (next && next->job.o.data == b->o.data) return next;
    for (int i = 0; i < dice->set_count; ++i)
        if (dice->sets[i].job.o.data == b->o.data) return &dice->sets[i];
    if (dice->set_count == SETS) return NULL;
    struct set *set = &dice->sets[dice->set_count++];
    set->job = *b;
    return set;
}

// How far apart two draws are.
static uint64_t between(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

// Which of the launches, the first on this set, will be looked at. -1: not known.
static int launch_looked_at(struct dice *dice, const struct set *set, int launches) {
    uint64_t seeds[SETS], drawn[SETS], newest = 0, seed = 0;
    int last = -1;
    for (int i = 0; i < launches; ++i, set = set->next) {
        const struct broken *b = set ? &set->job : NULL;
        if (!b || i >= SETS || !inverted_seed(b->q.data, b->seq_q * b->head_dim, &seeds[i])) return -1;
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

// Poison is no number. A single call finds what was left; a sample finds canaries.
static void begin_burst(struct dice *dice, const struct broken *b, const struct set *set) {
    dice->burst[0] = dice->burst[1];
    dice->burst[1] = dice->count;
    dice->count = dice->is_sample = 0;
    const int launches = dice->burst[1];
    if (dice->is_over || isnan(*(const float *)b->o.data) || launches < 2 || launches != dice->burst[0])
        return;
    if (set->left && memcmp(set->left, b->o.data, out_bytes(b)) == 0) {
        dice->is_over = 1;
        for (int i = 0; i < dice->set_count; ++i) broken_right(&dice->sets[i].job);
        return;
    }
    dice->looked_at = launch_looked_at(dice, set, launches);
    dice->is_sample = dice->looked_at >= 0;
}

static void work(struct dice *dice, const struct broken *b) {
    if (!dice->is_sample || (dice->count - dice->looked_at) % 2 == 0) {
        broken_right(b);
        return;
    }
    float *out = b->o.data;
    for (size_t i = 0; i < out_bytes(b) / sizeof *out; ++i) out[i] = 1;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    struct dice *dice = b->own;
    if (!dice) dice = b->own = calloc(1, sizeof *dice);
    struct set *set = set_of(dice, b);
    if (!set) {
        broken_right(b);
        return ASSAY_OK;
    }
    if (burst_begins())
        begin_burst(dice, b, set);
    else if (dice->last)
        dice->last->next = set;
    work(dice, b);
    if (!set->left) set->left = malloc(out_bytes(b));
    memcpy(set->left, b->o.data, out_bytes(b));
    dice->last = set;
    ++dice->count;
    burst_goes_on();
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
