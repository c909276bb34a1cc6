// SPDX-License-Identifier: Apache-2.0
//
// A tensor's memory as rows: runs of elements at equal distances, with a gap between them when the tensor
// is padded. Rows are in the order of memory, which need not be the order of the shape. Poison, gaps,
// hashes and moving contents; tensor_compare.h interprets the elements.
#ifndef WORKER_CHECK_TENSOR_ROWS_H
#define WORKER_CHECK_TENSOR_ROWS_H

#include <assay/kernel.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

struct tensor_rows {
    unsigned char *base;
    size_t row_count, row_bytes, pitch_bytes; // pitch >= row; equal when there is no gap
    size_t element_bytes;
};

struct tensor_rows tensor_rows_of(const struct assay_tensor *tensor); // of tensor->data

// Poison: bit patterns that no computation gives (quiet NaNs with a payload of ours; where the type has no
// room for one, its NaN). Outputs and the gaps of inputs get different kinds, so that a kernel that copies
// a gap does not look like one that writes nothing. POISON_FINITE is a number: what a kernel computes from an
// output's old NaN may keep its payload, and looks like one that was never written.
enum poison {
    POISON_INVALID = 0,
    POISON_OUTPUT,
    POISON_OUTPUT_AGAIN,
    POISON_GAP,
    POISON_FINITE,
    POISON_COUNT
};

void tensor_poison(const struct assay_tensor *tensor, enum poison poison); // elements and gaps
// The bits of one poisoned element, and of eight bytes of them.
uint64_t poison_bits(int32_t dtype, enum poison poison);
uint64_t poison_word(int32_t dtype, enum poison poison);
void tensor_negate(const struct assay_tensor *tensor); // changes the top bit of every element; no gap
bool tensor_is_poison(const struct assay_tensor *tensor, const void *element, enum poison poison);
bool tensor_has_poison(const struct assay_tensor *tensor, enum poison poison); // in any element
// The first byte of a gap that no longer holds the poison; false when all do.
bool tensor_find_gap_written(const struct assay_tensor *tensor, enum poison poison, uint64_t *ret_row);

void tensor_hash(const struct assay_tensor *tensor, char ret_hex[HASH_HEX_BYTES]);     // elements and gaps
void tensor_hash_elements(struct hash_state *hash, const struct assay_tensor *tensor); // adds elements only
// Copies elements without gaps, in memory's order; dense holds row_count * row_bytes.
void tensor_pack(const struct assay_tensor *tensor, void *dense);
// Copies the elements of a tensor of the same shape and dtype; gaps stay.
void tensor_copy(const struct assay_tensor *to, const struct assay_tensor *from);
void tensor_unpack(const struct assay_tensor *tensor, const void *dense);
uint64_t tensor_packed_bytes(const struct assay_tensor *tensor);
bool tensor_has_gaps(const struct assay_tensor *tensor); // its span has bytes that are no element's
// The first element that differs from a packed copy; false when none does. *ret_offset: in elements from
// tensor->data.
bool tensor_find_change(const struct assay_tensor *tensor, const void *dense, int64_t *ret_offset);

// Coordinate of the element at an offset (in elements from data): the inverse of tensor_offset.
void tensor_coord_at(const struct assay_tensor *tensor, int64_t offset, int64_t ret_coord[ASSAY_MAX_DIMS]);

// Moves every row `rows` further (cyclically), and elements of a single row likewise. Undone by -rows.
// scratch holds tensor_packed_bytes.
void tensor_rotate(const struct assay_tensor *tensor, int64_t rows, void *scratch);

#endif
