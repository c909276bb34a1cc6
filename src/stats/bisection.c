// SPDX-License-Identifier: Apache-2.0
//
// See bisection.h: evidence of one measurement, Bayes' rule, the next commit, those that are left.
#include "stats/bisection.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"

#define WORD_BITS 64
#define NOTHING   1e-9 // of an answer that is known already
// Of the entropy: what misleading measurements leave open is no question to be asked.
#define SETTLED_BITS 0.5

// ---- what a measurement says ----

// The logarithm of Student's density around `center`, without what does not depend on it.
static double log_density(const struct bisection_measurement *found, double center, double variance) {
    const double off = found->change - center;
    return -0.5 * (found->df + 1.0) * log1p(off * off / (variance * found->df)) - 0.5 * log(variance);
}

double bisection_evidence(const struct bisection_measurement *found,
                          const struct bisection_measurement *step) {
    const double se = fmax(found->se, BISECTION_LEAST_SE), wobble = BISECTION_WOBBLE * step->change;
    const double without = se * se + wobble * wobble, with = without + step->se * step->se;
    return 1.0 / (1.0 + exp(log_density(found, 0.0, without) - log_density(found, step->change, with)));
}

// ---- the history ----

static size_t row_words(const struct bisection *search) {
    return (search->count + WORD_BITS - 1) / WORD_BITS;
}

bool bisection_contains(const struct bisection *search, size_t commit, size_t other) {
    const uint64_t word = search->contains[commit * row_words(search) + other / WORD_BITS];
    return word >> other % WORD_BITS & 1;
}

void bisection_add_parent(struct bisection *search, size_t commit, size_t parent) {
    const size_t words = row_words(search);
    for (size_t w = 0; w < words; ++w)
        search->contains[commit * words + w] |= search->contains[parent * words + w];
}

int bisection_init(struct bisection *search, size_t count, bool is_chain) {
    *search = (struct bisection){.count = count};
    if (count == 0) return -EINVAL;
    const size_t words = row_words(search);
    search->contains = calloc(count * words, sizeof *search->contains);
    search->p = calloc(count, sizeof *search->p);
    search->is_usable = calloc(count, sizeof *search->is_usable);
    search->signatures = calloc(count, sizeof *search->signatures);
    if (!search->contains || !search->p || !search->is_usable || !search->signatures) {
        bisection_free(search);
        return -ENOMEM;
    }
    for (size_t i = 0; i < count; ++i) {
        search->is_usable[i] = true;
        search->p[i] = 1.0 / (double)count;
        search->contains[i * words + i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
        if (is_chain && i) bisection_add_parent(search, i, i - 1);
    }
    return 0;
}

void bisection_free(struct bisection *search) {
    free(search->contains);
    free(search->p);
    free(search->is_usable);
    free(search->signatures);
    *search = (struct bisection){0};
}

void bisection_set_unusable(struct bisection *search, size_t commit) {
    search->is_usable[commit] = false;
}

// ---- Bayes' rule ----

static void normalize(struct bisection *search) {
    double total = 0.0;
    for (size_t k = 0; k < search->count; ++k) total += search->p[k];
    for (size_t k = 0; k < search->count; ++k) search->p[k] /= total;
}

void bisection_observe(struct bisection *search, size_t commit, double p, double misleading) {
    const double changed = misleading + (1.0 - 2.0 * misleading) * p;
    for (size_t k = 0; k < search->count; ++k)
        search->p[k] *= bisection_contains(search, commit, k) ? changed : 1.0 - changed;
    normalize(search);
}

void bisection_observe_same(struct bisection *search, size_t commit, size_t other) {
    for (size_t k = 0; k < search->count; ++k) {
        const bool is_in_other = other != BISECTION_GOOD && bisection_contains(search, other, k);
        if (bisection_contains(search, commit, k) != is_in_other) search->p[k] *= BISECTION_SAME_MISLEADING;
    }
    normalize(search);
}

double bisection_p_changed(const struct bisection *search, size_t commit) {
    double sum = 0.0;
    for (size_t k = 0; k < search->count; ++k)
        if (bisection_contains(search, commit, k)) sum += search->p[k];
    return sum;
}

// ---- what to measure next ----

static size_t distance_to_unusable(const struct bisection *search, size_t commit) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < search->count; ++i) {
        const size_t distance = i < commit ? commit - i : i - commit;
        if (!search->is_usable[i] && distance < least) least = distance;
    }
    return least;
}

size_t bisection_next(const struct bisection *search) {
    size_t best = search->count;
    double best_score = 0.0;
    for (size_t i = 0; i < search->count; ++i) {
        if (!search->is_usable[i]) continue;
        const double p = bisection_p_changed(search, i), open = fmin(p, 1.0 - p);
        const size_t distance = distance_to_unusable(search, i);
        const double score = distance == SIZE_MAX ? open : open * (1.0 - 1.0 / (1.0 + (double)distance));
        if (open > NOTHING && score > best_score) best_score = score, best = i;
    }
    return best;
}

// ---- who is left ----

// A hash of the usable commits that contain each one: equal for those that none of them tells apart.
static void sign(struct bisection *search) {
    for (size_t k = 0; k < search->count; ++k) {
        search->signatures[k] = 0;
        for (size_t i = 0; i < search->count; ++i)
            if (search->is_usable[i] && bisection_contains(search, i, k))
                search->signatures[k] ^= rng_u64(0, 0, i);
    }
}

// The probability of all commits with the signature of that one.
static double group_p(const struct bisection *search, size_t commit) {
    double sum = 0.0;
    for (size_t k = 0; k < search->count; ++k)
        if (search->signatures[k] == search->signatures[commit]) sum += search->p[k];
    return sum;
}

double bisection_suspects(struct bisection *search, bool *is_suspect) {
    size_t best = 0;
    double best_p = 0.0;
    sign(search);
    for (size_t k = 0; k < search->count; ++k) {
        const double p = group_p(search, k);
        if (p > best_p) best_p = p, best = k;
    }
    for (size_t k = 0; k < search->count; ++k)
        is_suspect[k] = search->signatures[k] == search->signatures[best];
    return best_p;
}

size_t bisection_answers_left(struct bisection *search) {
    double bits = 0.0;
    sign(search);
    for (size_t k = 0; k < search->count; ++k)
        if (search->p[k] > 0.0) bits -= search->p[k] * log2(group_p(search, k));
    return (size_t)ceil(fmax(0.0, bits - SETTLED_BITS));
}
