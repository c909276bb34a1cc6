// SPDX-License-Identifier: Apache-2.0
//
// See tune_dispatch.h.
#include "control/tune/tune_dispatch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define FIRST_AXIS 2 // behind the operator and its type, "NAME/fp16"

// "s512" -> 1 and the place of its number; "causal", "fp16" at the front: 0.
static size_t axis_letters(const char *token, size_t length, size_t place) {
    size_t letters = 0;
    while (letters < length && isalpha((unsigned char)token[letters])) ++letters;
    if (place < FIRST_AXIS || letters == 0 || letters == length || length - letters > 18) return 0;
    for (size_t i = letters; i < length; ++i)
        if (!isdigit((unsigned char)token[i])) return 0;
    return letters;
}

struct tune_shape tune_shape_parse(const char *problem) {
    struct tune_shape ret = {0};
    size_t place = 0, used = 0;
    const char *end =
        problem + strcspn(problem, " "); // behind it is the input distribution, which is no shape
    for (const char *token = problem; token < end && used + 2 < sizeof ret.kind; ++place) {
        const size_t length = strcspn(token, "/ ");
        const size_t letters = axis_letters(token, length, place);
        const bool is_axis = letters && ret.axis_count < TUNE_AXES_MAX;
        const size_t kept = is_axis ? letters : length;
        const size_t room = sizeof ret.kind - used - 2;
        if (place) ret.kind[used++] = '/';
        memcpy(ret.kind + used, token, kept < room ? kept : room - 1);
        used += kept < room ? kept : room - 1;
        if (is_axis) {
            ret.kind[used++] = '*';
            ret.axes[ret.axis_count++] = strtoll(token + letters, NULL, 10);
        }
        token += length + (token[length] == '/');
    }
    return ret;
}

static bool is_inside(const struct tune_range *range, const struct tune_shape *shape) {
    if (strcmp(range->low.kind, shape->kind) != 0) return false;
    for (size_t i = 0; i < shape->axis_count; ++i)
        if (shape->axes[i] < range->low.axes[i] || shape->axes[i] > range->high[i]) return false;
    return true;
}

static struct tune_range unite(const struct tune_range *a, const struct tune_range *b) {
    struct tune_range ret = *a;
    for (size_t i = 0; i < a->low.axis_count; ++i) {
        if (b->low.axes[i] < ret.low.axes[i]) ret.low.axes[i] = b->low.axes[i];
        if (b->high[i] > ret.high[i]) ret.high[i] = b->high[i];
    }
    ret.problem_count += b->problem_count;
    return ret;
}

// Whether the united range holds no problem with another choice.
static bool can_unite(const struct tune_range *a, const struct tune_range *b,
                      const struct tune_choice *choices, size_t count) {
    if (a->is_exact || a->variant != b->variant || strcmp(a->low.kind, b->low.kind) != 0) return false;
    const struct tune_range both = unite(a, b);
    for (size_t i = 0; i < count; ++i) {
        const struct tune_shape shape = tune_shape_parse(choices[i].problem);
        if (choices[i].variant != a->variant && is_inside(&both, &shape)) return false;
    }
    return true;
}

static struct tune_range range_of(const struct tune_choice *choice) {
    struct tune_range ret = {.low = tune_shape_parse(choice->problem),
                             .variant = choice->variant,
                             .problem_count = 1,
                             .is_exact = choice->is_exact};
    memcpy(ret.high, ret.low.axes, sizeof ret.high);
    return ret;
}

// One choice a shape, the first: what asks the table knows a shape, but not the distribution of its inputs.
static size_t keep_shapes(const struct tune_choice *choices, size_t count, struct tune_choice *ret) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const struct tune_shape shape = tune_shape_parse(choices[i].problem);
        size_t at = 0;
        for (; at < kept; ++at) {
            const struct tune_range earlier = range_of(&ret[at]);
            if (is_inside(&earlier, &shape)) break;
        }
        if (at == kept) ret[kept++] = choices[i];
    }
    return kept;
}

size_t tune_dispatch_make(const struct tune_choice *choices, size_t count, struct tune_range *ret) {
    struct tune_choice *shapes = mem_alloc((count + 1) * sizeof *shapes);
    const size_t shape_count = keep_shapes(choices, count, shapes);
    size_t range_count = 0;
    for (size_t i = 0; i < shape_count; ++i) {
        const struct tune_range one = range_of(&shapes[i]);
        size_t at = 0;
        while (at < range_count && !can_unite(&ret[at], &one, shapes, shape_count)) ++at;
        if (at == range_count)
            ret[range_count++] = one;
        else
            ret[at] = unite(&ret[at], &one);
    }
    free(shapes);
    return range_count;
}
