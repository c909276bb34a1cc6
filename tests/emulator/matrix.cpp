// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores of a warp and a warpgroup (mma.sync, wgmma), ldmatrix and stmatrix.
#include <algorithm>
#include <cmath>

#include "common/convert.h"
#include "warp.h"

namespace emulator {

// ---- wgmma and mma.sync ----

static int element_bytes(element type) {
    return type == ELEMENT_E4M3 ? 1 : 2;
}

static void widen(element type, const void *elements, int count, float *to) {
    const int32_t dtype = type == ELEMENT_FP16   ? ASSAY_FP16
                          : type == ELEMENT_BF16 ? ASSAY_BF16
                                                 : ASSAY_FP8_E4M3;
    convert_row_to_float(elements, dtype, count, to);
}

enum { K_BYTES = 32, CHUNK_BYTES = 16 }; // of a product's depth; that swizzles keep together

// A matrix descriptor (PTX ISA, "Matrix-Descriptor Format" of wgmma): start, leading and stride byte offsets
// (from one column of swizzle atoms, and from one group of eight rows, to the next) in units of 16 bytes,
// swizzle mode.
struct operand {
    uint32_t start, column_bytes, eights_bytes, row_bytes;

    operand(uint64_t descriptor, int rank)
        : start((uint32_t)rank * RANK_BYTES + (uint32_t)(descriptor & 0x3fff) * 16),
          column_bytes((uint32_t)(descriptor >> 16 & 0x3fff) * 16),
          eights_bytes((uint32_t)(descriptor >> 32 & 0x3fff) * 16),
          row_bytes(descriptor >> 62 == 1 ? 128 : 64) {
        if (descriptor >> 62 != 1 && descriptor >> 62 != 2) fail("an operand without swizzle");
    }
    // Address of the 16 bytes from byte `column` of row `row`; beyond a row's width they are in the next
    // column of atoms.
    const unsigned char *find(int row, int column) const {
        const uint32_t of = (uint32_t)column;
        return at(swizzled(start + of / row_bytes * column_bytes + (uint32_t)row / 8 * eights_bytes +
                               (uint32_t)row % 8 * row_bytes + of % row_bytes,
                           row_bytes),
                  CHUNK_BYTES);
    }
};

// Registers hold K_BYTES of a row of A, or of a column of B: 16 in each of two, 4 in each of four lanes.
static void widen_fragments(element type, int depth, const uint32_t *const *fragments, float *a) {
    unsigned char rows[16][K_BYTES];
    for (int lane = 0; lane < WARP; ++lane)
        for (int i = 0; i < 4; ++i)
            memcpy(&rows[lane / 4 + i % 2 * 8][i / 2 * CHUNK_BYTES + lane % 4 * 4], &fragments[lane][i], 4);
    widen(type, rows, 16 * depth, a);
}

// A, 16 rows from row `first`, to depth columns each.
static void widen_a(const product &p, const operand &from, int first, float *to) {
    unsigned char rows[16][K_BYTES];
    for (int row = 0; row < 16; ++row)
        for (int byte = 0; byte < K_BYTES; byte += CHUNK_BYTES)
            memcpy(&rows[row][byte], from.find(first + row, byte), CHUNK_BYTES);
    widen(p.type, rows, 16 * p.depth, to);
}

// `columns` rows of depth values to depth rows.
static void transpose(int columns, int depth, const float *from, float *to) {
    for (int column = 0; column < columns; ++column)
        for (int k = 0; k < depth; ++k) to[k * columns + column] = from[column * depth + k];
}

// B to depth rows, one for each k; in memory its columns are rows, unless it is depth-major (MN-major).
static void widen_b(const product &p, const operand &from, float *to) {
    unsigned char bytes[128 * K_BYTES], *next = bytes;
    const int rows = p.is_depth_major ? p.depth : p.columns;
    const int row_bytes = p.is_depth_major ? p.columns * element_bytes(p.type) : K_BYTES;
    for (int row = 0; row < rows; ++row)
        for (int byte = 0; byte < row_bytes; byte += CHUNK_BYTES, next += CHUNK_BYTES)
            memcpy(next, from.find(row, byte), CHUNK_BYTES);
    if (p.is_depth_major) {
        widen(p.type, bytes, p.depth * p.columns, to);
        return;
    }
    float columns[128 * 32];
    widen(p.type, bytes, p.columns * p.depth, columns);
    transpose(p.columns, p.depth, columns, to);
}

constexpr int EIGHT = 8; // columns at a time: their sums are one vector

// sums += a b in fp32, in the order of k; a: depth values, b: rows of `columns` values.
static void add_products(int columns, int depth, const float *a, const float *b, float (&sums)[EIGHT]) {
    for (int k = 0; k < depth; ++k)
        for (int i = 0; i < EIGHT; ++i) sums[i] += a[k] * b[k * columns + i];
}

// 2^13 over the power of two that the magnitude of x begins with; 0 for 0.
static float cut_scale(float x) {
    const uint32_t exponent = convert_float_bits(x) & 0x7f800000;
    return exponent ? convert_bits_float((254u << 23) - exponent) * 0x1p13f : 0.0f;
}

// sums += a b as Hopper's fp8 wgmma adds: the sum so far and the products are cut to 13 bits behind the point
// of the largest of them, and so is what they add up to ("Insights into DeepSeek-V3", arXiv 2505.09343,
// section 3.1). Integers, so that nothing else is rounded. Held against an H200 (docs/kernels.md): a V of 1
// over 1024, 4096, 16384 and 65536 keys loses 0.7, 5.7, 24 and 53 % of O, there 1.8, 8.7, 28 and 56 %; the
// log-sum-exp of `sink` is 4.6e-3 off, there 5e-3.
// Columns beside one that becomes NaN are not cut.
static void add_products_cut(int columns, int depth, const float *a, const float *b, float (&sums)[EIGHT]) {
    float scale[EIGHT], whole[EIGHT];
    int32_t cut[EIGHT];
    for (int i = 0; i < EIGHT; ++i) whole[i] = sums[i], scale[i] = fabsf(sums[i]);
    add_products(columns, depth, a, b, whole);
    if (!std::all_of(whole, whole + EIGHT, [](float x) { return std::isfinite(x); })) {
        std::copy(whole, whole + EIGHT, sums);
        return;
    }
    for (int k = 0; k < depth; ++k)
        for (int i = 0; i < EIGHT; ++i) { // a maximum that becomes vector code
            const float magnitude = fabsf(a[k] * b[k * columns + i]);
            scale[i] = scale[i] > magnitude ? scale[i] : magnitude;
        }
    for (int i = 0; i < EIGHT; ++i) {
        scale[i] = cut_scale(scale[i]);
        cut[i] = (int32_t)(sums[i] * scale[i]);
    }
    for (int k = 0; k < depth; ++k)
        for (int i = 0; i < EIGHT; ++i) cut[i] += (int32_t)(a[k] * b[k * columns + i] * scale[i]);
    for (int i = 0; i < EIGHT; ++i) {
        const float left = cut_scale((float)cut[i]);
        sums[i] = cut[i] == 0 ? 0.0f : (float)(int32_t)((float)cut[i] * left) / left / scale[i];
    }
}

static void multiply_warp(bool is_cut, int columns, int depth, bool is_added, const float *a, const float *b,
                          float *const *c) {
    for (int row = 0; row < 16; ++row)
        for (int eight = 0; eight < columns / EIGHT; ++eight) {
            const auto find = [=](int column) {
                return &c[row % 8 * 4 + column / 2][eight * 4 + row / 8 * 2 + column % 2];
            };
            float sums[EIGHT];
            for (int i = 0; i < EIGHT; ++i) sums[i] = is_added ? *find(i) : 0.0f;
            const auto add = is_cut ? add_products_cut : add_products;
            add(columns, depth, a + row * depth, b + eight * EIGHT, sums);
            for (int i = 0; i < EIGHT; ++i) *find(i) = sums[i];
        }
}

static void do_product(const pending_product &of, int rank, int warp_of_group) {
    const product &p = of.what;
    float a[16 * 32], b[128 * 32];
    if (p.has_fragments)
        widen_fragments(p.type, p.depth, of.fragments, a);
    else
        widen_a(p, operand(p.a, rank), 16 * warp_of_group, a);
    widen_b(p, operand(p.b, rank), b);
    multiply_warp(p.type == ELEMENT_E4M3, p.columns, p.depth, p.is_added, a, b, of.c);
}

static void do_products(uint32_t end) {
    warp &in = *now->in;
    for (; in.products_done < end; ++in.products_done) {
        if (in.products.empty() || in.products.front().lanes < WARP)
            fail("a product that not all lanes of a warp have issued is waited for");
        do_product(in.products.front(), now->of->rank, (int)now->index.x / WARP % 4);
        in.products.pop_front();
    }
}

static bool is_same(const product &x, const product &y) {
    return x.type == y.type && x.columns == y.columns && x.depth == y.depth && x.is_added == y.is_added &&
           x.has_fragments == y.has_fragments && x.is_depth_major == y.is_depth_major && x.a == y.a &&
           x.b == y.b;
}

void product_issue(const product &of, float *c, const uint32_t *fragments) {
    warp &in = *now->in;
    const size_t i = now->products - in.products_done;
    if (i == in.products.size()) in.products.push_back({of, {}, {}, 0});
    pending_product &at = in.products[i];
    if (!is_same(at.what, of)) fail("lanes of a warp issue different products");
    at.c[now->lane] = c;
    at.fragments[now->lane] = fragments;
    ++now->products;
    if (++at.lanes == WARP && is_done_early(4)) do_products(now->products);
}

void product_commit() {
    now->groups[now->product_groups++ % 16] = now->products;
}

void product_wait(uint32_t pending_groups) {
    const uint32_t committed = now->product_groups;
    const uint32_t end = committed > pending_groups ? now->groups[(committed - pending_groups - 1) % 16] : 0;
    meet(MEETING_PRODUCT, end, [end](const uint64_t *) { do_products(end); });
}

struct multiplied {
    float *c;
    const uint32_t *a;
    uint32_t b[2];
};

void multiply(element type, float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    const multiplied own = {c, a, {b0, b1}};
    meet(MEETING_MATRIX, bits_of(&own), [type](const uint64_t *brought) {
        const int depth = K_BYTES / element_bytes(type);
        const uint32_t *fragments[WARP];
        float *to[WARP], wide_a[16 * 32], columns[8 * 32], wide_b[8 * 32];
        unsigned char bytes[8][K_BYTES];
        for (int i = 0; i < WARP; ++i) {
            const multiplied *of = value_of<const multiplied *>(brought[i]);
            fragments[i] = of->a;
            to[i] = of->c;
            for (int half = 0; half < 2; ++half)
                memcpy(&bytes[i / 4][half * CHUNK_BYTES + i % 4 * 4], &of->b[half], 4);
        }
        widen_fragments(type, depth, fragments, wide_a);
        widen(type, bytes, 8 * depth, columns);
        transpose(8, depth, columns, wide_b);
        // In fp32 for e4m3 too, as on Hopper, where nvcc widens the operands.
        multiply_warp(false, 8, depth, true, wide_a, wide_b, to);
    });
}

// ---- 8x8 matrices ----

struct matrices {
    uint32_t *registers;
    uint32_t address;
};

// Row `row` of matrix i.
static unsigned char *matrix_row(const uint64_t *brought, int i, int row) {
    const uint32_t address = value_of<const matrices *>(brought[8 * i + row])->address;
    if (address % 16) fail("a row of a matrix that is not aligned to 16 bytes");
    return at(address, 16);
}

void load_matrices(uint32_t (&ret)[4], uint32_t address, bool is_transposed) {
    const matrices own = {ret, address};
    meet(MEETING_MATRIX, bits_of(&own), [is_transposed](const uint64_t *brought) {
        for (int i = 0; i < 4; ++i) {
            uint16_t rows[8][8];
            for (int row = 0; row < 8; ++row) memcpy(rows[row], matrix_row(brought, i, row), 16);
            for (int lane = 0; lane < WARP; ++lane) {
                const int row = lane / 4, column = lane % 4 * 2;
                const uint16_t low = is_transposed ? rows[column][row] : rows[row][column];
                const uint16_t high = is_transposed ? rows[column + 1][row] : rows[row][column + 1];
                value_of<const matrices *>(brought[lane])->registers[i] = low | (uint32_t)high << 16;
            }
        }
    });
}

void store_matrices(const uint32_t (&from)[4], uint32_t address) {
    uint32_t registers[4];
    memcpy(registers, from, sizeof registers);
    const matrices own = {registers, address};
    meet(MEETING_MATRIX, bits_of(&own), [](const uint64_t *brought) {
        for (int i = 0; i < 4; ++i)
            for (int row = 0; row < 8; ++row) {
                unsigned char *const to = matrix_row(brought, i, row);
                for (int lane = 0; lane < 4; ++lane)
                    memcpy(to + 4 * lane, &value_of<const matrices *>(brought[row * 4 + lane])->registers[i],
                           4);
            }
    });
}

} // namespace emulator
