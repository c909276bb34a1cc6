// SPDX-License-Identifier: Apache-2.0
//
// What a kernel can learn of samples by being launched: how many launches they have, which set comes after
// which, and whether a launch is the first of a sample.
#ifndef SET_ORDER_H
#define SET_ORDER_H

#include "bursts.h"

#define SETS 1024

struct set {
    struct broken job;
    float *left;      // a copy of what a launch has left there
    struct set *next; // that is launched after it
};

struct set_order {
    struct set sets[SETS], *last;
    int set_count;
    int burst[2]; // lengths of the last two
    int count;    // launches of this one
    int launches; // of the sample that runs; 0: no sample
    int is_over;
    void *more; // the kernel's own
};

static inline size_t out_bytes(const struct broken *b) {
    return sizeof(float) * (size_t)(b->batch * b->heads * b->seq_q * b->head_dim);
}

// NULL: there are too many.
static inline struct set *set_of(struct set_order *order, const struct broken *b) {
    struct set *next = order->last ? order->last->next : NULL;
    if (next && next->job.o.data == b->o.data) return next;
    for (int i = 0; i < order->set_count; ++i)
        if (order->sets[i].job.o.data == b->o.data) return &order->sets[i];
    if (order->set_count == SETS) return NULL;
    struct set *set = &order->sets[order->set_count++];
    set->job = *b;
    return set;
}

// The sets of the sample that begins on this one. 0: not all are known.
static inline int sets_of_sample(const struct set_order *order, struct set *set, struct set **ret) {
    for (int i = 0; i < order->launches; ++i, set = set->next) {
        if (!set || i == SETS) return 0;
        ret[i] = set;
    }
    return 1;
}

// Samples find canaries in outputs. A check finds poison, which is no number; the single calls after the last
// sample find what was left.
static inline void order_begin_burst(struct set_order *order, const struct broken *b, const struct set *set) {
    order->burst[0] = order->burst[1];
    order->burst[1] = order->count;
    order->count = order->launches = 0;
    const int launches = order->burst[1];
    if (order->is_over || isnan(*(const float *)b->o.data) || launches < 2 || launches != order->burst[0])
        return;
    if (set->left && memcmp(set->left, b->o.data, out_bytes(b)) == 0)
        order->is_over = 1;
    else
        order->launches = launches;
}

// Before a launch: its set; NULL: what is right was done. *ret_begins: it is the first one after a pause.
static inline struct set *order_before(struct broken *b, int *ret_begins) {
    struct set_order *order = b->own;
    if (!order) order = b->own = calloc(1, sizeof *order);
    struct set *set = order ? set_of(order, b) : NULL;
    if (!set) {
        broken_right(b);
        return NULL;
    }
    *ret_begins = burst_begins();
    if (*ret_begins)
        order_begin_burst(order, b, set);
    else if (order->last)
        order->last->next = set;
    return set;
}

// In the first single call after the last sample: puts right what samples left.
static inline void order_mend_all(struct set_order *order, int begins) {
    if (!begins || !order->is_over) return;
    for (int i = 0; i < order->set_count && order->is_over == 1; ++i) broken_right(&order->sets[i].job);
    order->is_over = 2;
}

// left: whether the output holds what it is left with.
static inline void order_after(struct broken *b, struct set *set, int left) {
    struct set_order *order = b->own;
    if (!set->left) set->left = malloc(out_bytes(b));
    if (left) memcpy(set->left, b->o.data, out_bytes(b));
    order->last = set;
    ++order->count;
    burst_goes_on();
}

#endif
