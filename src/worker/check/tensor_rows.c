// SPDX-License-Identifier: Apache-2.0
//
// Rows, gaps and poison of a tensor.
#include "worker/check/tensor_rows.h"

#include <string.h>

#include "base/err.h"
#include "op/clones.h"
#include "op/dtype.h"
#include "op/operator.h"

struct tensor_rows tensor_rows_of(const struct assay_tensor *tensor) {
    struct tensor_rows rows = {.base = tensor->data, .element_bytes = dtype_bytes(tensor->dtype)};
    int64_t row = (int64_t)tensor_row_length(tensor), pitch = 0;
    for (int32_t i = 0; i + 1 < tensor->dim_count; ++i)
        if (!pitch || tensor->stride[i] < pitch) pitch = tensor->stride[i];
    rows.row_count = (size_t)(tensor_element_count(tensor) / (uint64_t)(row ? row : 1));
    rows.row_bytes = (size_t)row * rows.element_bytes;
    rows.pitch_bytes = (size_t)(pitch > row ? pitch : row) * rows.element_bytes;
    if (tensor_span_bytes(tensor) != (rows.row_count - 1) * rows.pitch_bytes + rows.row_bytes)
        // every memory layout of problem_describe makes them so
        BUG("a tensor's rows do not lie at equal distances");
    return rows;
}

// Payloads: recognisable in a debugger, different for every kind. e4m3 has two NaNs and no payload,
// e8m0 one NaN. Of bool they are neither true nor false.
static const uint64_t poison_FP64[POISON_COUNT] = {0, 0x7ff8c5a5c5a5c501u, 0x7ff8ca5aca5aca02u,
                                                   0x7ff8d00dd00dd003u, 0x40981818c5a5c504u};
static const uint64_t poison_FP32[POISON_COUNT] = {0, 0x7fc5a501u, 0x7fca5a02u, 0x7fcd0d03u, 0x44c0c504u};
static const uint64_t poison_FP16[POISON_COUNT] = {0, 0x7e51u, 0x7ea2u, 0x7ed3u, 0x5e54u};
static const uint64_t poison_BF16[POISON_COUNT] = {0, 0x7fd1u, 0x7fe2u, 0x7fc3u, 0x44c4u};
static const uint64_t poison_FP8_E4M3[POISON_COUNT] = {0, 0x7fu, 0xffu, 0x7fu, 0x5cu};
static const uint64_t poison_FP8_E5M2[POISON_COUNT] = {0, 0x7du, 0xfeu, 0x7fu, 0x5cu};
static const uint64_t poison_INT8[POISON_COUNT] = {0, 0x5bu, 0xa6u, 0x57u, 0x34u};
static const uint64_t poison_INT32[POISON_COUNT] = {0, 0x5a5ac501u, 0xa5a5ca02u, 0x5ad00d03u, 0x604u};
static const uint64_t poison_INT64[POISON_COUNT] = {0, 0x5a5a5a5ac5a5c501u, 0xa5a5a5a5ca5aca02u,
                                                    0x5ad00dd00dd00d03u, 0x604u};
static const uint64_t poison_INT16[POISON_COUNT] = {0, 0x5ac1u, 0xa5a2u, 0x5ad3u, 0x604u};
static const uint64_t poison_E8M0[POISON_COUNT] = {0, 0xffu, 0xe7u, 0xffu, 0x83u};
#define poison_UINT8      poison_INT8
#define poison_BOOL       poison_INT8
#define poison_FP4_E2M1X2 poison_INT8

static uint64_t repeated(uint64_t element, int bits) {
    for (; bits < 64; bits *= 2) element |= element << bits;
    return element;
}

#define POISON_CASE(id, number, name, bits, ...)                                                             \
    case ASSAY_##id: return repeated(poison_##id[poison], bits);
uint64_t poison_word(int32_t dtype, enum poison poison) {
    switch (dtype) {
        ASSAY_DTYPES(POISON_CASE)
    default: BUG("dtype %d has no poison", (int)dtype);
    }
}

uint64_t poison_bits(int32_t dtype, enum poison poison) {
    return poison_word(dtype, poison) >> (64 - 8 * dtype_bytes(dtype));
}

void tensor_poison(const struct assay_tensor *tensor, enum poison poison) {
    const uint64_t word = poison_word(tensor->dtype, poison);
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    char *data = tensor->data;
    size_t done = bytes < sizeof word ? bytes : sizeof word;
    memcpy(data, &word, done);
    while (done < bytes) { // doubling: the speed of memcpy for any pattern
        const size_t next = done < bytes - done ? done : bytes - done;
        memcpy(data + done, data, next);
        done += next;
    }
}

// Whole words, then what is left of the row: both begin with an element.
HOT_CLONES static void flip_row(unsigned char *row, size_t bytes, uint64_t mask) {
    size_t done = 0;
    for (; done + sizeof mask <= bytes; done += sizeof mask) {
        uint64_t word;
        memcpy(&word, row + done, sizeof word);
        word ^= mask;
        memcpy(row + done, &word, sizeof word);
    }
    for (size_t k = 0; done < bytes; ++k, ++done) row[done] ^= (unsigned char)(mask >> (8 * k));
}

void tensor_negate(const struct assay_tensor *tensor) {
    const struct tensor_rows rows = tensor_rows_of(tensor);
    const int bits = (int)(8 * rows.element_bytes);
    const uint64_t signs = repeated(UINT64_C(0x80) << (bits - 8), bits);
    for (size_t r = 0; r < rows.row_count; ++r)
        flip_row(rows.base + r * rows.pitch_bytes, rows.row_bytes, signs);
}

bool tensor_is_poison(const struct assay_tensor *tensor, const void *element, enum poison poison) {
    const uint64_t word = poison_word(tensor->dtype, poison);
    return memcmp(element, &word, dtype_bytes(tensor->dtype)) == 0;
}

// No early exit, so that a row is looked at as fast as it is read.
#define FIND_IN_ROW(bits)                                                                                    \
    HOT_CLONES static bool row_has_##bits(const unsigned char *row, size_t count, uint64_t word) {           \
        const uint##bits##_t wanted = (uint##bits##_t)word;                                                  \
        uint##bits##_t found = 0;                                                                            \
        for (size_t i = 0; i < count; ++i) {                                                                 \
            uint##bits##_t x;                                                                                \
            memcpy(&x, row + i * sizeof x, sizeof x);                                                        \
            found |= x == wanted;                                                                            \
        }                                                                                                    \
        return found;                                                                                        \
    }
FIND_IN_ROW(8)
FIND_IN_ROW(16)
FIND_IN_ROW(32)
FIND_IN_ROW(64)

bool tensor_has_poison(const struct assay_tensor *tensor, enum poison poison) {
    const struct tensor_rows rows = tensor_rows_of(tensor);
    const uint64_t word = poison_word(tensor->dtype, poison);
    const size_t bytes = rows.element_bytes, count = rows.row_bytes / bytes;
    bool (*const row_has)(const unsigned char *, size_t, uint64_t) = bytes == 1   ? row_has_8
                                                                     : bytes == 2 ? row_has_16
                                                                     : bytes == 4 ? row_has_32
                                                                                  : row_has_64;
    for (size_t r = 0; r < rows.row_count; ++r)
        if (row_has(rows.base + r * rows.pitch_bytes, count, word)) return true;
    return false;
}

bool tensor_find_gap_written(const struct assay_tensor *tensor, enum poison poison, uint64_t *ret_row) {
    struct tensor_rows rows = tensor_rows_of(tensor);
    const uint64_t word = poison_word(tensor->dtype, poison);
    const unsigned char *pattern = (const unsigned char *)&word;
    for (size_t r = 0; r + 1 < rows.row_count && rows.pitch_bytes > rows.row_bytes; ++r) {
        const unsigned char *gap = rows.base + r * rows.pitch_bytes + rows.row_bytes;
        for (size_t i = 0; i < rows.pitch_bytes - rows.row_bytes; ++i)
            if (gap[i] != pattern[i % sizeof word]) {
                *ret_row = r;
                return true;
            }
    }
    return false;
}

void tensor_hash(const struct assay_tensor *tensor, char ret_hex[HASH_HEX_BYTES]) {
    hash_bytes_hex(tensor->data, (size_t)tensor_span_bytes(tensor), ret_hex);
}

void tensor_hash_elements(struct hash_state *hash, const struct assay_tensor *tensor) {
    const struct tensor_rows rows = tensor_rows_of(tensor);
    if (rows.pitch_bytes == rows.row_bytes)
        hash_add(hash, rows.base, rows.row_count * rows.row_bytes);
    else
        for (size_t r = 0; r < rows.row_count; ++r)
            hash_add(hash, rows.base + r * rows.pitch_bytes, rows.row_bytes);
}

uint64_t tensor_packed_bytes(const struct assay_tensor *tensor) {
    return tensor_element_count(tensor) * dtype_bytes(tensor->dtype);
}

bool tensor_has_gaps(const struct assay_tensor *tensor) {
    return tensor_span_bytes(tensor) != tensor_packed_bytes(tensor);
}

void tensor_pack(const struct assay_tensor *tensor, void *dense) {
    struct tensor_rows rows = tensor_rows_of(tensor);
    unsigned char *to = dense;
    if (rows.pitch_bytes == rows.row_bytes)
        memcpy(to, rows.base, rows.row_count * rows.row_bytes);
    else
        for (size_t r = 0; r < rows.row_count; ++r)
            memcpy(to + r * rows.row_bytes, rows.base + r * rows.pitch_bytes, rows.row_bytes);
}

void tensor_copy(const struct assay_tensor *to, const struct assay_tensor *from) {
    const struct tensor_rows target = tensor_rows_of(to), source = tensor_rows_of(from);
    for (size_t r = 0; r < target.row_count; ++r)
        memcpy(target.base + r * target.pitch_bytes, source.base + r * source.pitch_bytes, target.row_bytes);
}

void tensor_unpack(const struct assay_tensor *tensor, const void *dense) {
    struct tensor_rows rows = tensor_rows_of(tensor);
    const unsigned char *from = dense;
    for (size_t r = 0; r < rows.row_count; ++r)
        memcpy(rows.base + r * rows.pitch_bytes, from + r * rows.row_bytes, rows.row_bytes);
}

bool tensor_find_change(const struct assay_tensor *tensor, const void *dense, int64_t *ret_offset) {
    struct tensor_rows rows = tensor_rows_of(tensor);
    const unsigned char *from = dense;
    for (size_t r = 0; r < rows.row_count; ++r) {
        const unsigned char *a = rows.base + r * rows.pitch_bytes, *b = from + r * rows.row_bytes;
        if (memcmp(a, b, rows.row_bytes) == 0) continue;
        size_t i = 0;
        while (a[i] == b[i]) ++i;
        *ret_offset = (int64_t)((r * rows.pitch_bytes + i) / rows.element_bytes);
        return true;
    }
    return false;
}

void tensor_coord_at(const struct assay_tensor *tensor, int64_t offset, int64_t ret_coord[ASSAY_MAX_DIMS]) {
    bool is_done[ASSAY_MAX_DIMS] = {false};
    for (int32_t n = 0; n < tensor->dim_count; ++n) {
        // largest stride first; dimensions of extent 1 do no harm
        int32_t widest = -1;
        for (int32_t i = 0; i < tensor->dim_count; ++i)
            if (!is_done[i] &&
                (widest < 0 || tensor->stride[i] > tensor->stride[widest] ||
                 (tensor->stride[i] == tensor->stride[widest] && tensor->shape[i] < tensor->shape[widest])))
                widest = i;
        is_done[widest] = true;
        ret_coord[widest] = tensor->shape[widest] > 1 ? offset / tensor->stride[widest] : 0;
        offset -= ret_coord[widest] * tensor->stride[widest];
    }
}

void tensor_rotate(const struct assay_tensor *tensor, int64_t rows, void *scratch) {
    struct tensor_rows view = tensor_rows_of(tensor);
    size_t unit = view.row_count > 1 ? view.row_bytes : view.element_bytes;
    size_t count = view.row_count > 1 ? view.row_count : view.row_bytes / view.element_bytes;
    size_t shift = (size_t)(((rows % (int64_t)count) + (int64_t)count) % (int64_t)count);
    tensor_pack(tensor, scratch);
    const unsigned char *from = scratch;
    size_t pitch = view.row_count > 1 ? view.pitch_bytes : view.element_bytes;
    for (size_t i = 0; i < count; ++i)
        memcpy(view.base + ((i + shift) % count) * pitch, from + i * unit, unit);
}
