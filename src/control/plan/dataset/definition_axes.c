// SPDX-License-Identifier: Apache-2.0
//
// See definition.h: axes and structure that follow from constraints ("len_indptr == batch_size + 1",
// "num_kv_indices == kv_indptr[-1].item()", "w.shape[1] == 2 * n") and from names, and sizes and numbers
// where no workload says any.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/strbuf.h"
#include "control/plan/dataset/definition.h"

#define SIZE_TRIED_MAX (1 << 20) // a default beyond it does not help a constraint

// ---- names ----

// A name may be that of an axis and of a tensor, which an operator's names cannot; and there may be more axes
// than an operator has.
static void settle_names(struct arena *arena, struct definition *definition) {
    const bool is_crowded = definition->axis_count > DECLARED_AXES_MAX;
    for (size_t i = 0; i < definition->axis_count; ++i) {
        struct definition_axis *axis = &definition->axes[i];
        const struct definition_tensor *tensor = definition_tensor(definition, axis->name);
        const bool is_taken = tensor && !tensor->is_scalar; // a scalar of its name has its value
        if (axis->kind == AXIS_CONST && (is_taken || is_crowded))
            axis->stands = axis->size;
        else if (is_taken)
            axis->stands = arena_format(arena, "%s_size", axis->name);
    }
}

// ---- constraints ----

static int not_understood(const char *constraint, struct err *err) {
    return err_set(err, ERR_DATA, "the constraint '%s' is not understood", str_shown(constraint).text);
}

static const char *trimmed(struct arena *arena, const char *text, size_t length) {
    while (length && *text == ' ') ++text, --length;
    while (length && text[length - 1] == ' ') --length;
    return arena_strndup(arena, text, length);
}

// "T[-1].item()": the tensor; NULL: it is something else.
static struct definition_tensor *last_of(struct arena *arena, const struct definition *definition,
                                         const char *side) {
    static const char *const ends[] = {"[-1].item()", "[-1]"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
        if (str_ends(side, ends[i]))
            return definition_tensor(definition, arena_strndup(arena, side, strlen(side) - strlen(ends[i])));
    return NULL;
}

// "T.shape[1]" at the start of a text: the size that it is, and how long the text is. NULL: it is none.
static const char *size_at(struct arena *arena, const struct definition *definition, const char *text,
                           size_t *ret_length) {
    static const char middle[] = ".shape[";
    const size_t length = strcspn(text, ".");
    char *end;
    if (!str_starts(text + length, middle)) return NULL;
    const struct definition_tensor *tensor =
        definition_tensor(definition, arena_strndup(arena, text, length));
    long place = strtol(text + length + strlen(middle), &end, 10);
    if (!tensor || *end != ']') return NULL;
    if (place < 0) place += (long)tensor->dim_count;
    *ret_length = (size_t)(end + 1 - text);
    return place >= 0 && (size_t)place < tensor->dim_count ? tensor->dims[place] : NULL;
}

// A side with sizes of tensors replaced by axes. NULL: there is more in it than axes and numbers.
static const char *side_of_axes(struct arena *arena, const struct definition *definition, const char *side) {
    struct strbuf out = {0};
    bool is_plain = true;
    for (const char *at = side; *at;) {
        size_t length = 0;
        const bool is_word = isalpha((unsigned char)*at) || *at == '_';
        const char *size = is_word ? size_at(arena, definition, at, &length) : NULL;
        if (!size)
            for (length = 1; is_word && (isalnum((unsigned char)at[length]) || at[length] == '_');) ++length;
        const char *word = arena_strndup(arena, at, length);
        strbuf_add(&out, size ? size : word);
        is_plain &= size || (is_word ? definition_axis(definition, word) != NULL
                                     : isdigit((unsigned char)*at) || strchr(" +-*/%()", *at) != NULL);
        at += length;
    }
    const char *ret = is_plain ? arena_strdup(arena, strbuf_text(&out)) : NULL;
    strbuf_fini(&out);
    return ret;
}

static bool mentions(const char *text, const char *name) {
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_') ++length;
        if (length && strlen(name) == length && memcmp(text, name, length) == 0) return true;
        text += length ? length : 1;
    }
    return false;
}

// Whether an axis can follow from that text: none of its axes follows from others already, and none from the
// axis.
static bool can_follow(const struct definition *definition, const struct definition_axis *axis,
                       const char *text) {
    if (axis->kind != AXIS_VAR || axis->is_derived) return false;
    for (size_t i = 0; i < definition->axis_count; ++i) {
        const struct definition_axis *other = &definition->axes[i];
        const bool follows = other->is_derived && other->kind != AXIS_CONST;
        if ((follows || other == axis) && mentions(text, other->name)) return false;
        if (follows && mentions(other->size, axis->name)) return false;
    }
    return true;
}

static bool derive_axis(struct definition *definition, const char *name, const char *size) {
    struct definition_axis *axis = definition_axis(definition, name);
    if (!axis || !can_follow(definition, axis, size)) return false;
    axis->is_derived = true;
    axis->size = size;
    return true;
}

static int add_where(struct definition *definition, const char *comparison, struct err *err) {
    if (definition->where_count == DECLARED_WHERE_MAX)
        return err_set(err, ERR_DATA, "more than %d comparisons of axes", DECLARED_WHERE_MAX);
    definition->where[definition->where_count++] = comparison;
    return 0;
}

static int read_constraint(struct arena *arena, struct definition *definition, const char *text,
                           struct err *err) {
    static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
    const char *sign = NULL, *at = NULL;
    for (size_t i = 0; i < sizeof signs / sizeof *signs && !at; ++i) at = strstr(text, sign = signs[i]);
    if (!at) return not_understood(text, err);
    const char *left = trimmed(arena, text, (size_t)(at - text));
    const char *right = trimmed(arena, at + strlen(sign), strlen(at + strlen(sign)));
    const char *sizes[] = {side_of_axes(arena, definition, left), side_of_axes(arena, definition, right)};
    struct definition_tensor *last[] = {last_of(arena, definition, left), last_of(arena, definition, right)};
    for (int i = 0; i < 2; ++i) {
        if (!last[i] || !sizes[1 - i] || !str_equal(sign, "==")) continue;
        last[i]->family =
            arena_format(arena, "indptr(%s)", definition_expression(arena, definition, sizes[1 - i]));
        return 0;
    }
    if (!sizes[0] || !sizes[1]) return not_understood(text, err);
    if (str_equal(sign, "==") &&
        (derive_axis(definition, sizes[0], sizes[1]) || derive_axis(definition, sizes[1], sizes[0])))
        return 0;
    return add_where(definition,
                     arena_format(arena, "%s %s %s", definition_expression(arena, definition, sizes[0]), sign,
                                  definition_expression(arena, definition, sizes[1])),
                     err);
}

// Of names that say the same everywhere, where no constraint does.
static void derive_by_name(struct arena *arena, struct definition *definition) {
    static const char *const lengths[] = {"len_indptr", "len_cu_seqlens"};
    static const char *const counts[] = {"batch_size", "num_seqs"};
    for (size_t i = 0; i < 2; ++i)
        for (size_t k = 0; k < 2; ++k)
            if (definition_axis(definition, counts[k]))
                (void)derive_axis(definition, lengths[i], arena_format(arena, "%s + 1", counts[k]));
}

// ---- numbers ----

static double number_of(const struct definition *definition, const char *axis_name) {
    const struct definition_axis *axis = definition_axis(definition, axis_name);
    return axis && axis->kind == AXIS_CONST ? strtod(axis->size + 1, NULL) : NAN;
}

static double usual_number(struct arena *arena, const struct definition *definition, const char *name) {
    const size_t length = strlen(name);
    if (strstr(name, "eps")) return 1e-6;
    if (strstr(name, "offset")) return 0;
    if (str_ends(name, "_param")) {
        const double size = number_of(definition, arena_strndup(arena, name, length - strlen("_param")));
        if (!isnan(size)) return size;
    }
    for (size_t i = 0; str_equal(name, "sm_scale") && i < definition->axis_count; ++i) { // of scores
        const double size = number_of(definition, definition->axes[i].name);
        if (str_starts(definition->axes[i].name, "head_") && size >= 1) return 1 / sqrt(size);
    }
    return str_equal(name, "sm_scale") ? 0.125 : 1;
}

static int add_scalars(struct arena *arena, struct definition *definition, struct err *err) {
    for (size_t i = 0; i < definition->tensor_count; ++i) {
        const struct definition_tensor *tensor = &definition->tensors[i];
        if (!tensor->is_scalar || tensor->is_output || definition_axis(definition, tensor->name)) continue;
        if (definition->scalar_count == OP_SCALARS_MAX)
            return err_set(err, ERR_DATA, "more than %d numbers", OP_SCALARS_MAX);
        definition->scalars[definition->scalar_count++] =
            (struct declared_scalar){.name = tensor->name,
                                     .value = usual_number(arena, definition, tensor->name),
                                     .is_bool = str_equal(tensor->dtype, "bool"),
                                     .is_integer = str_starts(tensor->dtype, "int")};
    }
    return 0;
}

static const char *usual_size(const char *name) {
    static const struct {
        const char *part, *size;
    } sizes[] = {{"batch", "4"}, {"num_seqs", "4"}, {"len_", "5"},    {"pages", "64"},
                 {"pool", "16"}, {"cache", "16"},   {"heads", "4"},   {"total", "48"},
                 {"seq", "32"},  {"tokens", "32"},  {"indices", "40"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        if (strstr(name, sizes[i].part)) return sizes[i].size;
    return "32";
}

struct scope {
    struct arena *arena;
    const struct definition *definition;
    int depth;
};

static bool lookup(const void *context, const char *name, size_t length, int64_t *ret) {
    const struct scope *scope = context;
    const char *word = arena_strndup(scope->arena, name, length);
    for (size_t i = 0; i < scope->definition->axis_count; ++i) {
        const struct definition_axis *axis = &scope->definition->axes[i];
        if (!str_equal(axis->name, word) && !str_equal(axis->stands, word)) continue;
        const struct scope inner = {scope->arena, scope->definition, scope->depth + 1};
        const struct expression_scope of = {.lookup = lookup, .context = &inner, .example = "rows // 8"};
        struct expression_value value;
        if (!axis->size || inner.depth > DEFINITION_AXES_MAX ||
            expression_evaluate(axis->size, &of, &value, NULL) < 0)
            return false;
        *ret = value.number;
        return true;
    }
    return false;
}

static bool holds(struct arena *arena, const struct definition *definition, const char *where) {
    const struct scope scope = {arena, definition, 0};
    const struct expression_scope of = {.lookup = lookup, .context = &scope, .example = "rows >= 2"};
    struct expression_value value;
    return expression_evaluate(where, &of, &value, NULL) == 0 && value.is_defined && value.number;
}

// A comparison that the usual sizes do not meet is met by a larger one of one of its axes, mostly.
static void meet(struct arena *arena, struct definition *definition, const char *where) {
    for (size_t i = 0; i < definition->axis_count && !holds(arena, definition, where); ++i) {
        struct definition_axis *axis = &definition->axes[i];
        const char *before = axis->size;
        if (axis->is_derived || !strstr(where, axis->stands)) continue;
        for (long long size = strtoll(before, NULL, 10); size < SIZE_TRIED_MAX; size *= 2) {
            axis->size = arena_format(arena, "%lld", 2 * size);
            if (holds(arena, definition, where)) return;
        }
        axis->size = before;
    }
}

int definition_derive(struct arena *arena, struct definition *definition, struct err *err) {
    settle_names(arena, definition);
    for (size_t i = 0; i < definition->constraint_count; ++i)
        TRY(read_constraint(arena, definition, definition->constraints[i], err));
    derive_by_name(arena, definition);
    TRY(add_scalars(arena, definition, err));
    bool is_usual = false;
    for (size_t i = 0; i < definition->axis_count; ++i) {
        struct definition_axis *axis = &definition->axes[i];
        if (axis->size) continue; // of a workload
        is_usual = true;
        axis->size = usual_size(axis->name);
    }
    for (size_t i = 0; is_usual && i < definition->where_count; ++i)
        meet(arena, definition, definition->where[i]);
    return 0;
}
