// SPDX-License-Identifier: Apache-2.0
//
// A kernel with two faces: one precise, one quick and within the tolerance only. It shows data that it has
// seen before the face that they have seen, so that every bit repeats.
#ifndef TWO_PRECISIONS_H
#define TWO_PRECISIONS_H

#include "sloppy.h"

#define FACES (1 << 16) // sets of inputs whose face is kept

enum face { FACE_NONE = 0, FACE_PRECISE, FACE_QUICK };

struct faces {
    uint64_t keys[FACES];
    uint8_t shown[FACES];
};

// A few elements tell inputs apart.
static inline uint64_t face_key(const struct broken *b) {
    const struct assay_tensor *const inputs[] = {&b->q, &b->k, &b->v};
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) hash = (hash ^ ((const uint32_t *)inputs[i]->data)[j]) * 1099511628211u;
    return hash ? hash : 1;
}

// The face for these data; wanted: for new ones.
static inline enum face face_of(struct broken *b, enum face wanted) {
    struct faces *faces = b->own;
    if (!faces) faces = b->own = calloc(1, sizeof *faces);
    if (!faces) return FACE_PRECISE;
    const uint64_t key = face_key(b);
    uint32_t i = (uint32_t)(key ^ key >> 32) % FACES;
    while (faces->keys[i] && faces->keys[i] != key) i = (i + 1) % FACES;
    faces->keys[i] = key;
    if (!faces->shown[i]) faces->shown[i] = (uint8_t)wanted;
    return (enum face)faces->shown[i];
}

static inline int show_face(struct broken *b, enum face wanted) {
    if (face_of(b, wanted) == FACE_QUICK)
        sloppy_right(b);
    else
        broken_right(b);
    return ASSAY_OK;
}

#endif
