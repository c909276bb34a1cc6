// SPDX-License-Identifier: Apache-2.0
//
// See serial_correlation.h.
#include "stats/serial_correlation.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define TIE 1e-12 // sums in another order

struct session {
    double *scaled;  // [count][length]: centred, with a sum of squares of 1
    uint32_t *order; // [length], of the times
    size_t count, length;
};

struct work {
    struct session *sessions;
    size_t session_count, length, series_count;
};

// Times to use: as many as give most. Series that share a state tell no more than one of them, others as much
// as all: the root lies between.
static size_t best_length(const struct serial_series *series, size_t count) {
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
        if (series[i].count < SERIAL_SESSION_LEAST) continue;
        size_t as_long = 0;
        for (size_t k = 0; k < count; ++k) as_long += series[k].count >= series[i].count;
        const double worth = (double)series[i].count * sqrt((double)as_long);
        if (worth > most) most = worth, best = series[i].count;
    }
    return best;
}

// False: constant.
static bool scale(const double *values, size_t length, double *ret) {
    double sum = 0, squares = 0, largest = 0;
    for (size_t t = 0; t < length; ++t) sum += values[t];
    for (size_t t = 0; t < length; ++t) {
        ret[t] = values[t] - sum / (double)length;
        squares += ret[t] * ret[t];
        largest = fmax(largest, fabs(values[t]));
    }
    if (!(squares > TIE * TIE * largest * largest * (double)length)) return false;
    for (size_t t = 0; t < length; ++t) ret[t] /= sqrt(squares);
    return true;
}

// -1: no memory.
static int session_make(struct session *session, const struct serial_series *series, size_t count) {
    session->length = best_length(series, count);
    if (!session->length) return 0;
    session->scaled = mem_try_array(count * session->length, sizeof *session->scaled);
    session->order = mem_try_array(session->length, sizeof *session->order);
    if (!session->scaled || !session->order) return -1;
    for (size_t i = 0; i < count; ++i)
        if (series[i].count >= session->length)
            session->count +=
                scale(series[i].values, session->length, session->scaled + session->count * session->length);
    if (!session->count) session->length = 0;
    return 0;
}

// Of the mean lag-1 autocorrelation times the length: longer sessions count for more.
static double weighted_lag1(const struct session *session) {
    double sum = 0;
    for (size_t i = 0; i < session->count; ++i) {
        const double *row = session->scaled + i * session->length;
        for (size_t t = 0; t + 1 < session->length; ++t)
            sum += row[session->order[t]] * row[session->order[t + 1]];
    }
    return session->count ? sum * (double)session->length / (double)session->count : 0;
}

static double lag1_of(const struct work *work) {
    double sum = 0;
    for (size_t s = 0; s < work->session_count; ++s) sum += weighted_lag1(&work->sessions[s]);
    return sum / (double)work->length;
}

static void test(struct work *work, struct serial_correlation *ret) {
    size_t as_high = 1, used_count = 0; // the times as they were
    for (size_t s = 0; s < work->session_count; ++s) {
        used_count += work->sessions[s].length > 0;
        for (size_t t = 0; t < work->sessions[s].length; ++t) work->sessions[s].order[t] = (uint32_t)t;
    }
    const double seen = lag1_of(work);
    for (uint64_t k = 0; k < SERIAL_SHUFFLES; ++k) {
        for (size_t s = 0; s < work->session_count; ++s)
            if (work->sessions[s].length)
                rng_shuffle(work->sessions[s].order, (uint32_t)work->sessions[s].length, k,
                            rng_stream("serial correlation") + s);
        as_high += lag1_of(work) >= seen - TIE;
    }
    *ret = (struct serial_correlation){.lag1 = seen + (double)used_count / (double)work->length,
                                       .p = (double)as_high / (SERIAL_SHUFFLES + 1),
                                       .series_count = work->series_count,
                                       .length = work->length,
                                       .session_count = used_count};
}

static size_t session_end(const struct serial_series *series, size_t count, size_t begin) {
    size_t end = begin;
    while (end < count && series[end].session == series[begin].session) ++end;
    return end;
}

int serial_correlation_test(const struct serial_series *series, size_t count,
                            struct serial_correlation *ret) {
    struct work work = {.sessions = mem_try_array(count + 1, sizeof *work.sessions)};
    int status = work.sessions ? 0 : -1;
    *ret = (struct serial_correlation){.lag1 = NAN, .p = NAN};
    for (size_t begin = 0; begin < count && status == 0;) {
        const size_t end = session_end(series, count, begin);
        struct session *session = &work.sessions[work.session_count++];
        *session = (struct session){.scaled = NULL};
        status = session_make(session, series + begin, end - begin);
        work.length += session->length;
        work.series_count += session->count;
        begin = end;
    }
    if (status == 0 && work.length >= SERIAL_LEAST) test(&work, ret);
    for (size_t s = 0; s < work.session_count; ++s) {
        free(work.sessions[s].scaled);
        free(work.sessions[s].order);
    }
    free(work.sessions);
    return status;
}
