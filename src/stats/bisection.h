// SPDX-License-Identifier: Apache-2.0
//
// Which commit made it slower? A search by probabilities (Horstein 1963; Ben-Or and Hassidim, FOCS 2008,
// for noisy questions; Burnashev and Zigangirov 1974): every commit has a probability of being the one, a
// measurement of a commit moves them by Bayes' rule, and the next one to measure is the one for which "does
// it have the change?" is most open. On clear answers this is a plain bisection, and log2(count) of them
// are enough; unclear ones count for what they say, and are asked again where it matters.
//
// The model: exactly one commit made the change that was measured between the two ends; every commit that
// contains it has the change, up to a tenth of it, the others have not. One measurement in a thousand
// misleads, whatever it says of itself (BISECTION_MISLEADING): a certainty beyond that needs several.
#ifndef STATS_BISECTION_H
#define STATS_BISECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BISECTION_MISLEADING 0.001
// Of what other commits of the range may add, as a share of the change; and the least error of a measurement.
#define BISECTION_WOBBLE   0.1
#define BISECTION_LEAST_SE 0.0005

#define BISECTION_SAME_MISLEADING 1e-6 // equal machine code

// A log ratio against the good end, and what it is known to: its standard error and degrees of freedom.
struct bisection_measurement {
    double change, se, df;
};

// The probability that a commit with this measurement has the change, were both as likely. step: the change
// of the bad end. change, se of both finite, step.change not 0, se >= 0, df > 0.
double bisection_evidence(const struct bisection_measurement *found,
                          const struct bisection_measurement *step);

struct bisection {
    size_t count;         // commits, oldest first; the last is the bad end, which contains all
    uint64_t *contains;   // a row of bits a commit: itself and those before it
    double *p;            // of each commit being the one; their sum is 1
    bool *is_usable;      // false: it cannot be measured
    uint64_t *signatures; // scratch: commits that no usable commit tells apart have the same
};

// is_chain: each commit contains all before it; else bisection_add_parent says what each contains.
// -EINVAL: no commits. -ENOMEM.
int bisection_init(struct bisection *search, size_t count, bool is_chain);
void bisection_free(struct bisection *search); // accepts a zeroed one
// parent < commit, and the parent's own are complete.
void bisection_add_parent(struct bisection *search, size_t commit, size_t parent);
bool bisection_contains(const struct bisection *search, size_t commit, size_t other);

// p: as bisection_evidence gives it. misleading: the probability that it is worth nothing (at most 0.5).
void bisection_observe(struct bisection *search, size_t commit, double p, double misleading);
// The two have the same machine code, so both have the change or none. other BISECTION_GOOD: the good end.
#define BISECTION_GOOD SIZE_MAX
void bisection_observe_same(struct bisection *search, size_t commit, size_t other);
void bisection_set_unusable(struct bisection *search, size_t commit);

double bisection_p_changed(const struct bisection *search, size_t commit);
// The usable commit whose answer is most open; away from unusable ones, which seldom come alone. count: no
// usable commit would tell anything.
size_t bisection_next(const struct bisection *search);

// The most probable commit with those that no usable one tells apart from it: marks them, and returns the
// probability that one of them is it. is_suspect: count of them.
double bisection_suspects(struct bisection *search, bool *is_suspect);
// Clear answers still needed, at the best: the entropy in bits, rounded up.
size_t bisection_answers_left(struct bisection *search);

#endif
