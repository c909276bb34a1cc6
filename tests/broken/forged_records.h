// SPDX-License-Identifier: Apache-2.0
//
// Records that no worker of ours wrote: right checks, and samples by which the candidate is ten times
// faster.
#ifndef FORGED_RECORDS_H
#define FORGED_RECORDS_H

#include "hostile.h"

#define FORGED_FD 3

struct forged {
    const char *phase;
    uint64_t round, attempt;
    int sides;
};

static UNUSED void forged_line(const char *text) {
    if (write(FORGED_FD, text, strlen(text)) < 0) errno = 0;
}

static UNUSED void forged_record(const struct forged *f, const char *kind, long index, long side,
                                 const char *rest) {
    char line[16384], more[128] = "";
    if (strcmp(f->phase, "round") == 0)
        snprintf(more, sizeof more, "\"round\":%llu,\"attempt\":%llu,", (unsigned long long)f->round,
                 (unsigned long long)f->attempt);
    size_t at = (size_t)snprintf(line, sizeof line, "{\"schema\":1,\"kind\":\"%s\",\"phase\":\"%s\",%s", kind,
                                 f->phase, more);
    if (index >= 0) at += (size_t)snprintf(line + at, sizeof line - at, "\"case\":%ld,", index);
    if (side >= 0) at += (size_t)snprintf(line + at, sizeof line - at, "\"side\":%ld,", side);
    snprintf(line + at, sizeof line - at, "\"time_ns\":%llu%s}\n", (unsigned long long)hostile_now_ns(),
             rest);
    forged_line(line);
}

static UNUSED void forged_samples(const struct forged *f, long index, long side) {
    char text[8192] = ",\"samples\":{\"start_ns\":[";
    const unsigned long usual_ns = side == 0 ? 1000000 : 100000; // side 0 is the baseline
    for (int column = 0; column < 3; ++column) {
        for (unsigned long i = 0; i < 22; ++i) {
            const unsigned long noise =
                (i * 7919 + (unsigned long)f->round * 31 + (unsigned long)side * 17) % 1000;
            const unsigned long value = column == 0 ? 300000000 + i * 2000000 + (unsigned long)side * 1000000
                                        : column == 1 ? usual_ns + noise * usual_ns / 200000
                                                      : 3690000000;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%lu", i ? "," : "", value);
        }
        const char *const next[] = {
            "],\"duration_ns\":[",
            "],\"launches\":10,\"discard\":{\"0\":\"first_pair\",\"7\":\"audit\"},\"clock_hz\":[",
            "],\"call_wall_ns\":100000}"};
        strncat(text, next[column], sizeof text - strlen(text) - 1);
    }
    forged_record(f, "samples", index, side, text);
}

static UNUSED void forged_check(const struct forged *f, long index, long side) {
    forged_record(
        f, "check", index, side,
        ",\"check\":{\"outcome\":\"OK\",\"tensors\":[{\"tensor\":\"out\",\"element_count\":768,\"failed_"
        "count\":0,"
        "\"max_abs\":4e-08,\"max_rel\":4e-08,\"rms\":8e-09,\"rel_l2\":3e-08}],\"duration_ns\":17000000,"
        "\"kernel_ns\":40000,\"workspace_bytes\":0}");
}

// All that a worker would say about the cases of its order; samples too if it is a round. Returns 0 if there
// is no
// order to answer.
static UNUSED int forged_answer(void) {
    const char *order = hostile_order(), *at = order;
    if (!*order || (!hostile_is_order("check") && !hostile_is_order("round"))) return 0;
    struct forged f = {.phase = hostile_is_order("round") ? "round" : "check"};
    f.round = hostile_order_number(&at, "round", 0);
    f.attempt = hostile_order_number(&at, "attempt", 0);
    for (const char *side = order; (side = strstr(side, "\"label\":")) != NULL; ++side) ++f.sides;
    at = strstr(order, "\"cases\":");
    while (at && strstr(at, "\"index\":")) {
        const long index = (long)hostile_order_number(&at, "index", 0);
        const uint64_t mask = hostile_order_number(&at, "side_mask", 1);
        const int is_round = strcmp(f.phase, "round") == 0;
        for (int side = 0; side < f.sides; ++side) {
            if (!(mask >> side & 1)) continue;
            forged_record(&f, "case", index, side, "");
            forged_check(&f, index, side);
        }
        if (is_round) forged_record(&f, "case", index, -1, "");
        for (int side = 0; side < f.sides && is_round; ++side)
            if (mask >> side & 1) forged_samples(&f, index, side);
        if (is_round)
            forged_record(
                &f, "case_state", index, -1,
                ",\"is_valid\":true,\"state\":{\"clock_hz\":2596134000,\"others_pct\":0,\"steal_pct\":0,"
                "\"clock_probe_hz\":3691420331,\"window_ns\":300000000}");
    }
    forged_record(&f, "bye", -1, -1, "");
    return 1;
}

#endif
