// SPDX-License-Identifier: Apache-2.0
//
// See judge_clock.h.
#include "worker/measure/judge_clock.h"

#include <math.h>

#define WAIT_SHARE    0.02   // a sample is disturbed if a thread waited longer than this share of it,
#define WAIT_LEAST_NS 20000u // and longer than a wake-up takes
#define JUDGE_SPREADS 3.0    // the clocks may differ by so many times the spread of an exchange,
#define JUDGE_SHARE   0.02   // or by this share of the sample
// A process is said to time itself falsely when all but a few of its samples are shorter than the judge's by
// more than that: a busy machine holds up most answers, but not all of them.
#define FALSE_CLOCK_SHARE   0.3  // of the time by the judge, since an honest one may be held up in answering
#define FALSE_CLOCK_SAMPLES 0.97 // of the samples
#define FALSE_CLOCK_OTHERS  0.2  // of another side's: the machine is busy
#define JUDGED_LEAST        10u  // samples without which nothing is said

bool judge_clock_confirms(const struct batch_time *time) {
    if (!time->judge_ns) return true;
    const double apart_ns = fabs((double)time->judge_ns - (double)time->duration_ns);
    return apart_ns <= fmax(JUDGE_SPREADS * time->judge_error_ns, JUDGE_SHARE * (double)time->duration_ns);
}

enum discard judge_clock_discard(const struct batch_time *time) {
    if (time->steal_ns) return DISCARD_STEAL;
    if (time->late_ns || time->others_ns) return DISCARD_PREEMPTED;
    if (!judge_clock_confirms(time)) return DISCARD_UNCONFIRMED;
    const double limit_ns = WAIT_SHARE * (double)time->duration_ns;
    if (time->wait_ns > WAIT_LEAST_NS && (double)time->wait_ns > limit_ns) return DISCARD_PREEMPTED;
    return DISCARD_NONE;
}

void judge_clock_count(struct judged_samples *side, const struct batch_time *time, enum discard discard) {
    if (!time->judge_ns || !time->is_wait_known || side->is_clock_coarse) return;
    const double missing_ns = (double)time->judge_ns - (double)time->duration_ns;
    const bool is_apart = missing_ns > FALSE_CLOCK_SHARE * (double)time->judge_ns;
    if (is_apart && discard != DISCARD_NONE && discard != DISCARD_UNCONFIRMED) return;
    ++side->count;
    side->false_count += is_apart && discard == DISCARD_UNCONFIRMED;
}

static double false_share(const struct judged_samples *side) {
    return side->count < JUDGED_LEAST ? 0 : (double)side->false_count / (double)side->count;
}

bool judge_clock_find_false(const struct judged_samples *const *sides, size_t count, size_t *ret) {
    size_t apart_count = 0, which = 0;
    for (size_t i = 0; i < count; ++i) {
        const double share = false_share(sides[i]);
        if (share > FALSE_CLOCK_SAMPLES) which = i;
        apart_count += share > FALSE_CLOCK_OTHERS;
    }
    *ret = which;
    return apart_count == 1 && false_share(sides[which]) > FALSE_CLOCK_SAMPLES;
}
