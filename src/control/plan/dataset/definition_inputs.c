// SPDX-License-Identifier: Apache-2.0
//
// See definition.h: what fills the inputs. Floating-point numbers are normal ones, as where nothing is said.
// Integers are offsets, pages, lengths, which a constraint says, a name, or the user.
#include <string.h>

#include "control/plan/dataset/definition.h"
#include "op/declared/tensor_spec.h"

#define GIVEN_EXAMPLE "--input 'NAME=below(num_pages)'"

// Names that say the same in every set. A text with %s is of the first of the axes that the definition has.
static const struct named_inputs {
    const char *part, *family;
    const char *axes[8];
    bool is_whole; // the name is that, and does not only have it in it
} named[] = {
    {"last_page_len", "lengths(%s)", {"page_size"}, false},
    {"kv_indptr", "indptr(%s)", {"num_kv_indices", "total_kv", "total_tokens"}, false},
    {"indptr", "indptr(%s)", {"total_q", "total_tokens", "num_tokens"}, false},
    {"cu_seqlens", "indptr(%s)", {"total_seq_len", "total_tokens", "num_tokens", "total_q"}, false},
    {"sparse_indices", "below(%s)", {"num_pages", "num_blocks", "num_tokens"}, false},
    {"state", "unique(%s)", {"pool_size", "state_cache_size", "num_slots", "cache_size"}, false},
    {"kv_indices", "below(%s)", {"num_pages", "num_blocks"}, false},
    {"page", "below(%s)", {"num_pages", "num_blocks", "max_num_pages"}, false},
    {"block_table", "below(%s)", {"num_pages", "num_blocks"}, false},
    {"lens", "lengths(%s)", {"max_seq_len", "max_num_pages", "seq_len", "max_len"}, false},
    {"lengths", "lengths(%s)", {"max_seq_len", "seq_len", "max_len"}, false},
    {"expert", "below(%s)", {"num_experts", "num_local_experts", "E", "n_experts"}, false},
    {"router_indices", "below(%s)", {"num_experts", "num_local_experts", "E"}, false},
    {"topk_ids", "below(%s)", {"num_experts", "num_local_experts", "E"}, false},
    {"input_ids", "below(%s)", {"vocab_size", "num_embeddings", "V"}, false},
    {"token_ids", "below(%s)", {"vocab_size", "num_embeddings", "V"}, false},
    {"labels", "below(%s)", {"vocab_size", "num_classes", "V", "C"}, false},
    {"position", "below(%s)", {"max_seq_len", "max_position_embeddings", "max_position", "seq_len"}, false},
    {"top_k", "lengths(%s)", {"vocab_size"}, true},
};

static const char *family_by_name(struct arena *arena, const struct definition *definition,
                                  const struct definition_tensor *tensor) {
    const bool is_packed = strstr(tensor->description, "acked"); // more than one number in each
    for (size_t i = 0; i < sizeof named / sizeof *named && !is_packed; ++i) {
        if (named[i].is_whole ? !str_equal(tensor->name, named[i].part)
                              : !strstr(tensor->name, named[i].part))
            continue;
        for (const char *const *name = named[i].axes; name < named[i].axes + 8 && *name; ++name)
            if (definition_axis(definition, *name))
                return arena_format(arena, named[i].family, definition_expression(arena, definition, *name));
    }
    return NULL;
}

// Upper half an expert's number, lower half the bits of its weight in bf16, which no family of numbers is.
static const char *routing_of(struct arena *arena, const struct definition *definition,
                              const struct definition_tensor *tensor) {
    static const char *const counts[] = {"num_experts", "n_experts", "E"};
    const bool is_packed = strstr(tensor->description, "acked") && strstr(tensor->description, "xpert") &&
                           strstr(tensor->description, "16");
    if (!is_packed || !str_equal(tensor->dtype, "int32") || tensor->dim_count != 2) return NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (definition_axis(definition, counts[i]))
            return definition_expression(arena, definition, counts[i]);
    return NULL;
}

// Bytes of something else, such as packed numbers: every bit counts.
static bool is_bytes(const struct definition_tensor *tensor) {
    return str_equal(tensor->dtype, "uint8") || (str_equal(tensor->dtype, "int8") && tensor->dim_count > 1);
}

// Of recurrences that only converge for some numbers: a definition that has the other input too.
static const struct {
    const char *name, *beside, *family;
} recurrent[] = {
    {"A", "dt", "uniform(-2, -0.1)"}, // exp(A dt) decays
    {"k", "beta", "normal(0, 0.1)"},  // of about unit length
    {"k", "A_log", "normal(0, 0.1)"},
};

static const char *float_family(const struct definition *definition, const struct definition_tensor *tensor) {
    if (!str_starts(tensor->dtype, "float") && !str_equal(tensor->dtype, "bfloat16")) return NULL;
    if (str_starts(tensor->dtype, "float4")) return NULL;
    for (size_t i = 0; i < sizeof recurrent / sizeof *recurrent; ++i)
        if (str_equal(tensor->name, recurrent[i].name) && definition_tensor(definition, recurrent[i].beside))
            return recurrent[i].family;
    if (strstr(tensor->description, "in (0, 1)") || strstr(tensor->description, "in [0, 1]"))
        return "uniform(0, 1)";
    if (strstr(tensor->name, "probs")) return "probs";
    if (str_equal(tensor->name, "top_p")) return "uniform(0.1, 1)";
    if (strstr(tensor->name, "scale") || strstr(tensor->name, "temperature")) return "positive";
    return NULL;
}

// ---- --input ----

// "NAME=FAMILY" up to a ';' of which nothing stands before; *at: behind it.
static int take_given(struct arena *arena, struct definition *definition, const char **at, struct err *err) {
    const size_t length = strcspn(*at, ";"), before = strcspn(*at, "=");
    const char *text = arena_strndup(arena, *at, length);
    *at += length + (*(*at + length) == ';');
    while (*text == ' ') ++text;
    if (before >= length) return err_set(err, ERR_USAGE, "--input '%s': write " GIVEN_EXAMPLE, text);
    const char *name = arena_strndup(arena, text, strcspn(text, "= "));
    struct definition_tensor *tensor = definition_tensor(definition, name);
    if (!tensor || tensor->is_output || tensor->is_scalar)
        return err_set(err, ERR_USAGE, "--input '%s': '%s' has no input of that name that is a tensor", text,
                       definition->name);
    const char *family = strchr(text, '=') + 1;
    while (*family == ' ') ++family;
    struct tensor_spec unused;
    struct err why = {0};
    const char *form = str_starts(tensor->dtype, "float") || str_equal(tensor->dtype, "bfloat16") ? "fp32"
                       : str_equal(tensor->dtype, "bool")                                         ? "bool"
                                                                                                  : "int32";
    if (tensor_spec_parse(arena, arena_format(arena, "%s[1] %s", form, family), ASSAY_IN, &unused, &why) < 0)
        return err_set(err, ERR_USAGE, "--input '%s': %s", text, why.text);
    if (unused.family == FILL_MADE)
        return err_set(err, ERR_USAGE, "--input '%s': nobody makes it; name what fills it", text);
    tensor->family = definition_expression(arena, definition, family);
    tensor->is_made = false;
    return 0;
}

int definition_explain(struct arena *arena, struct definition *definition, const char *given,
                       struct err *err) {
    while (given && *given) TRY(take_given(arena, definition, &given, err));
    for (size_t i = 0; i < definition->tensor_count; ++i) {
        struct definition_tensor *tensor = &definition->tensors[i];
        if (tensor->is_output || tensor->is_scalar || tensor->family) continue;
        tensor->family = float_family(definition, tensor);
        const bool is_integer = str_starts(tensor->dtype, "int") || str_starts(tensor->dtype, "uint");
        if (tensor->family || !is_integer) continue;
        tensor->family = is_bytes(tensor) ? "bits" : family_by_name(arena, definition, tensor);
        if (tensor->family || tensor->is_made) continue;
        tensor->routing = routing_of(arena, definition, tensor);
        tensor->is_made = tensor->routing;
        if (tensor->is_made) continue;
        return err_set(err, ERR_DATA,
                       "what the integers of '%s' may be, neither a constraint nor its name says; say it, as "
                       "in --input '%s=below(%s)'",
                       tensor->name, tensor->name,
                       definition->axis_count ? definition->axes[0].stands : "100");
    }
    for (size_t i = 0; i < definition->tensor_count; ++i) { // offsets of nothing are none
        const struct definition_tensor *tensor = &definition->tensors[i];
        if (!tensor->family || !str_starts(tensor->family, "indptr") || !tensor->dim_count) continue;
        if (definition->where_count < DECLARED_WHERE_MAX)
            definition->where[definition->where_count++] =
                arena_format(arena, "%s >= 2", definition_expression(arena, definition, tensor->dims[0]));
    }
    return 0;
}
