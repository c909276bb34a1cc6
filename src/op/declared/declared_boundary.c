// SPDX-License-Identifier: Apache-2.0
//
// Which problems of a declared operator regular shapes miss: sizes around tiles, each axis alone, pairs and
// all together, input distributions, memory layouts, large counts; and problems that are drawn. What a
// declaration's `where` refuses, or what its tensors cannot be filled with, is no case.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/strbuf.h"
#include "op/declared/declared_internal.h"
#include "op/dtype.h"

#define MIB              (1024.0 * 1024)
#define SMALL_BYTES      (64 * 1024.0) // of the problem that most cases differ from in one axis
#define FLOOR_MAX        16            // of its axes
#define SCAN_MAX         256           // sizes that are looked at one by one
#define SINGLES_MAX      72            // of all axes, but
#define SINGLES_AXIS_MIN 12
#define PAIRS_MAX        16
#define TYPICAL_MAX      3
#define FAMILY_PROBLEMS  2
#define LARGE_COUNT      65537 // the second and third dimension of a CUDA grid end at 65535
#define DRAWN_LOG2_MAX   11
#define DRAWN_TRIES      8

// What is known of a problem's cost: where nothing says how many operations it has, its bytes alone.
struct limits {
    double bytes, flops;
};
static const struct limits usual_limits = {8 * MIB, 2e8}, named_limits = {64 * MIB, 1e10},
                           drawn_limits = {2 * MIB, 1e7}, no_limits = {INFINITY, INFINITY};

struct sizes {
    struct problem defaults;
    size_t count; // of free axes
    ptrdiff_t places[DECLARED_AXES_MAX];
    int64_t base[DECLARED_AXES_MAX]; // of the small problem, by free axis
    // To the next size that there is above that of the small problem, as in "hidden % 8 == 0"; 0: none is
    // near.
    int64_t steps[DECLARED_AXES_MAX];
    struct limits limits;
};

// ---- the small problem ----

static double tensor_bytes(const struct problem *problem) {
    struct problem_abi abi;
    double ret = 0;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.tensor_count; ++i) ret += (double)tensor_span_bytes(&abi.tensors[i]);
    return ret;
}

// False: there is no such problem within the limits.
static bool find(const struct sizes *sizes, const int64_t *axes, struct limits limits, struct problem *ret) {
    struct declared_params params = *declared_params_of(&sizes->defaults);
    for (size_t i = 0; i < sizes->count; ++i) params.axes[sizes->places[i]] = axes[i];
    if (declared_settle(declared_operator_of(sizes->defaults.op), params.axes, NULL) < 0) return false;
    *ret = sizes->defaults;
    memcpy(ret->params, &params, sizeof params);
    if (!declared_can_fill(ret)) return false;
    problem_rename(ret);
    return tensor_bytes(ret) <= limits.bytes && !(problem_flops(ret) > limits.flops);
}

static int64_t next_size(int64_t size, int64_t floor) {
    if (size < floor + SCAN_MAX) return size + 1;
    int64_t power = SCAN_MAX;
    while (power <= size) power *= 2;
    return power;
}

// As small as the axis can be with the others as they are, but not below the floor. False: as it is.
static bool shrink_axis(const struct sizes *sizes, size_t axis, int64_t floor, int64_t *axes,
                        struct problem *ret) {
    struct problem smaller;
    const int64_t before = axes[axis];
    for (axes[axis] = floor; axes[axis] < before; axes[axis] = next_size(axes[axis], floor))
        if (find(sizes, axes, no_limits, &smaller)) return *ret = smaller, true;
    axes[axis] = before;
    return false;
}

// From the default problem on, and until no axis becomes smaller: one may wait for another.
static void shrink(const struct sizes *sizes, int64_t floor, int64_t *axes, struct problem *ret) {
    bool is_smaller = true;
    *ret = sizes->defaults;
    for (size_t i = 0; i < sizes->count; ++i)
        axes[i] = declared_params_of(&sizes->defaults)->axes[sizes->places[i]];
    while (is_smaller) {
        is_smaller = false;
        for (size_t i = 0; i < sizes->count; ++i) is_smaller |= shrink_axis(sizes, i, floor, axes, ret);
    }
}

static void find_sizes(const struct operator_def *op, struct sizes *ret) {
    const struct declared *declared = declared_operator_of(op)->declared;
    struct problem small, larger;
    *ret = (struct sizes){.limits = usual_limits};
    if (problem_make(op, DECLARED_DEFAULT, &ret->defaults, NULL) < 0)
        BUG("%s has no default problem", op->name);
    while ((ret->places[ret->count] = declared_free_axis(declared, ret->count)) >= 0) ++ret->count;
    for (int64_t floor = FLOOR_MAX; floor > 0; floor /= 2) {
        shrink(ret, floor, ret->base, &small);
        if (tensor_bytes(&small) <= SMALL_BYTES) break;
    }
    ret->limits.bytes = fmax(ret->limits.bytes, tensor_bytes(&small));
    ret->limits.flops = fmax(ret->limits.flops, problem_flops(&small));
    for (size_t i = 0; i < ret->count; ++i) {
        int64_t axes[DECLARED_AXES_MAX];
        memcpy(axes, ret->base, sizeof axes);
        for (int64_t step = 1; step <= SCAN_MAX && !ret->steps[i]; ++step) {
            axes[i] = ret->base[i] + step;
            if (find(ret, axes, no_limits, &larger)) ret->steps[i] = step;
        }
    }
}

// The next size from this one on that lies a whole number of steps from that of the small problem.
static int64_t fitted(const struct sizes *sizes, size_t axis, int64_t size) {
    const int64_t step = sizes->steps[axis];
    if (!step) return size;
    const int64_t over = (size - sizes->base[axis]) % step;
    return over > 0 ? size + step - over : size - over;
}

// ---- cases ----

struct matrix {
    struct sizes sizes;
    struct op_cases *cases;
};

static bool add(struct matrix *matrix, const struct op_case *item) {
    const struct op_cases *cases = matrix->cases;
    for (size_t i = 0; i < cases->count; ++i)
        if (str_equal(cases->items[i].problem.name, item->problem.name) &&
            str_equal(cases->items[i].distribution, item->distribution) &&
            cases->items[i].memory_layout == item->memory_layout)
            return false;
    op_cases_add(matrix->cases, item);
    return true;
}

static bool add_plain(struct matrix *matrix, const struct problem *problem, bool is_declared_only) {
    return add(matrix, &(struct op_case){.problem = *problem,
                                         .distribution = OP_DISTRIBUTION_DEFAULT,
                                         .memory_layout = MEMORY_LAYOUT_DENSE,
                                         .is_declared_only = is_declared_only});
}

// With the other axes as they are in the small problem; where that cannot be, with one of them at 1 or at the
// same size, or all of them: heads that the key's heads divide, axes that are equal, one after the other.
static bool find_single(const struct sizes *sizes, size_t axis, int64_t size, struct problem *ret) {
    int64_t axes[DECLARED_AXES_MAX];
    memcpy(axes, sizes->base, sizeof axes);
    axes[axis] = size;
    if (find(sizes, axes, sizes->limits, ret)) return true;
    for (size_t other = 0; other < sizes->count; ++other) {
        if (other == axis) continue;
        for (axes[other] = 1;; axes[other] = size) {
            if (find(sizes, axes, sizes->limits, ret)) return true;
            if (axes[other] == size) break;
        }
        axes[other] = sizes->base[other];
    }
    for (size_t i = 0; i < sizes->count; ++i) axes[i] = size;
    return find(sizes, axes, sizes->limits, ret);
}

// By how much they find: an operator of many axes has the first ones alone. These are every residue modulo 8,
// and one above tiles.
static const int64_t single_sizes[] = {1,   2,    3,    17,   65,   129,  7,    8,    33,  5,  4,   6,
                                       9,   257,  1025, 15,   31,   63,   127,  16,   32,  64, 128, 255,
                                       256, 1023, 1024, 513,  100,  11,   13,   511,  10,  12, 14,  2049,
                                       512, 96,   1000, 2047, 2048, 4097, 4095, 4096, 1536};
#define COUNT(list) (sizeof(list) / sizeof *(list))

static void add_singles(struct matrix *matrix) {
    const struct sizes *sizes = &matrix->sizes;
    struct problem problem;
    for (size_t axis = 0; axis < sizes->count; ++axis) {
        const size_t share = SINGLES_MAX / sizes->count;
        size_t left = share > SINGLES_AXIS_MIN ? share : SINGLES_AXIS_MIN;
        for (size_t i = 0; i < COUNT(single_sizes) && left; ++i) {
            const int64_t size = single_sizes[i];
            if (find_single(sizes, axis, size, &problem) ||
                find_single(sizes, axis, fitted(sizes, axis, size), &problem))
                left -= add_plain(matrix, &problem, false);
        }
    }
}

static void add_pairs(struct matrix *matrix) {
    static const int64_t pairs[][2] = {{33, 17}, {7, 65},  {129, 5},  {3, 257},
                                       {1, 1},   {65, 31}, {255, 63}, {9, 127}};
    const struct sizes *sizes = &matrix->sizes;
    size_t left = PAIRS_MAX;
    for (size_t p = 0; p < COUNT(pairs); ++p)
        for (size_t i = 0; i < sizes->count; ++i)
            for (size_t k = i + 1; k < sizes->count && left; ++k) {
                int64_t axes[DECLARED_AXES_MAX];
                struct problem problem;
                memcpy(axes, sizes->base, sizeof axes);
                axes[i] = fitted(sizes, i, pairs[p][0]);
                axes[k] = fitted(sizes, k, pairs[p][1]);
                if (find(sizes, axes, sizes->limits, &problem)) left -= add_plain(matrix, &problem, false);
            }
}

// All axes near one size, and the small problem, which there always is.
static void add_whole(struct matrix *matrix, struct problem *typical, size_t *ret_count) {
    static const int64_t wholes[] = {33, 17, 65, 0, 7, 3, 1};
    const struct sizes *sizes = &matrix->sizes;
    *ret_count = 0;
    for (size_t w = 0; w < COUNT(wholes); ++w) {
        int64_t axes[DECLARED_AXES_MAX];
        struct problem problem;
        for (size_t i = 0; i < sizes->count; ++i)
            axes[i] = wholes[w] ? fitted(sizes, i, wholes[w]) : sizes->base[i];
        if (!find(sizes, axes, sizes->limits, &problem)) continue;
        add_plain(matrix, &problem, false);
        const bool is_new = !*ret_count || !str_equal(typical[*ret_count - 1].name, problem.name);
        if (is_new && *ret_count < TYPICAL_MAX) typical[(*ret_count)++] = problem;
    }
}

// A scalar that has one value in all problems may be a constant of the kernel. Half of it is likely allowed;
// of True and False the other one.
static void add_scalars(struct matrix *matrix, const struct problem *typical) {
    const struct declared *declared = declared_operator_of(typical->op)->declared;
    for (size_t i = 0; i < declared->scalar_count; ++i) {
        struct problem problem = *typical;
        struct declared_params *params = (struct declared_params *)(void *)problem.params;
        const bool is_bool = declared->scalars[i].is_bool;
        if (params->scalars[i] == 0 && !is_bool) continue;
        params->scalars[i] = is_bool ? 1 - params->scalars[i] : params->scalars[i] / 2;
        if (declared->scalars[i].is_integer && floor(params->scalars[i]) != params->scalars[i]) continue;
        problem_rename(&problem);
        add_plain(matrix, &problem, false);
    }
}

static void add_inputs(struct matrix *matrix, const struct problem *typical, size_t count) {
    for (const char *const *family = declared_distributions; *family; ++family)
        for (size_t i = 0; i < count && i < FAMILY_PROBLEMS; ++i) {
            struct op_case item = {.problem = typical[i], .memory_layout = MEMORY_LAYOUT_DENSE};
            snprintf(item.distribution, sizeof item.distribution, "%s", *family);
            if (problem_check_distribution(&typical[i], *family, NULL) == 0) add(matrix, &item);
        }
    const bool is_dense = declared_operator_of(typical->op)->declared->module; // as modules are given them
    for (size_t i = 0; i < count && !is_dense; ++i) {
        struct op_case item = {.problem = typical[i], .distribution = OP_DISTRIBUTION_DEFAULT};
        item.memory_layout = MEMORY_LAYOUT_OFFSET;
        add(matrix, &item);
        item.memory_layout = MEMORY_LAYOUT_PADDED;
        item.is_declared_only = true; // a function that gets addresses alone learns no strides
        add(matrix, &item);
    }
}

// The other axes small; where that is too much, as small as can be.
static void add_large_counts(struct matrix *matrix) {
    const struct sizes *sizes = &matrix->sizes;
    int64_t least[DECLARED_AXES_MAX];
    struct problem problem;
    shrink(sizes, 1, least, &problem);
    for (size_t i = 0; i < sizes->count; ++i) {
        int64_t axes[DECLARED_AXES_MAX];
        memcpy(axes, sizes->base, sizeof axes);
        axes[i] = fitted(sizes, i, LARGE_COUNT);
        bool is_found = find(sizes, axes, sizes->limits, &problem);
        if (!is_found) {
            memcpy(axes, least, sizeof axes);
            axes[i] = fitted(sizes, i, LARGE_COUNT);
            is_found = find(sizes, axes, named_limits, &problem);
        }
        if (is_found) add_plain(matrix, &problem, true);
    }
}

void declared_add_cases(const struct operator_def *op, struct op_cases *ret) {
    struct matrix matrix = {.cases = ret};
    struct problem typical[TYPICAL_MAX];
    size_t count;
    find_sizes(op, &matrix.sizes);
    const struct problem *defaults = &matrix.sizes.defaults;
    add_singles(&matrix);
    add_pairs(&matrix);
    add_whole(&matrix, typical, &count);
    if (tensor_bytes(defaults) <= named_limits.bytes && !(problem_flops(defaults) > named_limits.flops))
        add_plain(&matrix, defaults, false);
    if (count) add_scalars(&matrix, &typical[0]);
    add_inputs(&matrix, typical, count);
    add_large_counts(&matrix);
}

bool declared_distribution_applies(const struct problem *problem, const char *distribution) {
    (void)distribution; // all of them change the same tensors
    const struct declared_operator *op = declared_operator_of(problem->op);
    for (size_t i = 0; i < op->declared->tensor_count; ++i)
        if (op->declared->tensors[i].access != ASSAY_OUT && !op->specs[i].is_named &&
            !dtype_is_integer(op->specs[i].dtype))
            return true;
    return false;
}

// ---- drawn problems ----

// One axis after the other, from any on, as long as there is such a problem.
void declared_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields) {
    struct sizes sizes;
    struct problem problem, next;
    find_sizes(op, &sizes);
    if (!find(&sizes, sizes.base, no_limits, &problem)) BUG("%s has no small problem", op->name);
    const size_t first = sizes.count ? (size_t)dice_below(dice, sizes.count) : 0;
    for (size_t n = 0; n < sizes.count; ++n) {
        const size_t axis = (first + n) % sizes.count;
        for (size_t tries = 0; tries < DRAWN_TRIES; ++tries) {
            int64_t axes[DECLARED_AXES_MAX];
            memcpy(axes, sizes.base, sizeof axes);
            axes[axis] = (int64_t)dice_size(dice, DRAWN_LOG2_MAX);
            if (tries % 2) axes[axis] = fitted(&sizes, axis, axes[axis]);
            if (!find(&sizes, axes, drawn_limits, &next)) continue;
            sizes.base[axis] = axes[axis];
            problem = next;
            break;
        }
    }
    strbuf_add(ret_fields, problem_fields(&problem));
}
