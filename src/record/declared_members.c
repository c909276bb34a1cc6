// SPDX-License-Identifier: Apache-2.0
//
// See declared_members.h. Whether a declaration makes sense, declared_make says.
#include "record/declared_members.h"

#include "record/field.h"

static const char *const access_names[] = {
    [ASSAY_ACCESS_INVALID] = "invalid", [ASSAY_IN] = "in", [ASSAY_OUT] = "out", [ASSAY_INOUT] = "inout"};

static const struct member axis_list[] = {
    MEMBER(struct declared_axis, "name", name, "Its name.", MEMBER_REQUIRED),
    MEMBER(struct declared_axis, "size", size, "The default of a free one, or an expression.",
           MEMBER_REQUIRED),
};
static const struct member_table axis_members =
    MEMBER_TABLE(struct declared_axis, "declared_axis", axis_list, );

static const struct member scalar_list[] = {
    MEMBER(struct declared_scalar, "name", name, "Its name.", MEMBER_REQUIRED),
    MEMBER(struct declared_scalar, "value", value, "Its default.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct declared_scalar, "is_bool", is_bool, "Whether it is 1 or 0, for true and false."),
    MEMBER(struct declared_scalar, "is_integer", is_integer, "Whether it is a whole number."),
};
static const struct member_table scalar_members =
    MEMBER_TABLE(struct declared_scalar, "declared_scalar", scalar_list, );

static const struct member tensor_list[] = {
    MEMBER(struct declared_tensor, "name", name, "Its name.", MEMBER_REQUIRED),
    MEMBER(struct declared_tensor, "spec", spec, "`bf16[rows, hidden] normal(1, 0.1)`.", MEMBER_REQUIRED),
    MEMBER_NAMED(struct declared_tensor, "access", access, access_names, "What a kernel does with it.",
                 MEMBER_REQUIRED),
};
static const struct member_table tensor_members =
    MEMBER_TABLE(struct declared_tensor, "declared_tensor", tensor_list, );

#define REFERENCE(m, ...) MEMBER(struct declared_reference, #m, m, __VA_ARGS__)
static const struct member reference_list[] = {
    REFERENCE(source, "Below the manifest's folder."),
    REFERENCE(function, "In that source, which is Python; absent: C."),
    REFERENCE(plain, "There, the one whose errors are the 2 x rule's; absent: that function's own."),
    REFERENCE(accept, "There, the one that says alone whether results are right; absent: none does."),
    REFERENCE(random, "Its results are drawn: `true`, or by which input; absent: they are not."),
    REFERENCE(call, "The signature of its function; absent: it is a module of its own."),
    REFERENCE(module_path, "Its module, in fp64; of Python its file."),
    REFERENCE(module_hash, "SHA-256 of that file."),
    REFERENCE(single_module_path, "The same in fp32; absent: it does not compile so."),
    REFERENCE(single_module_hash, "SHA-256 of that file."),
    REFERENCE(single_note, "Why it does not."),
    REFERENCE(python_interpreter, "Of a function in Python."),
    REFERENCE(python_bridge, "The program that it runs."),
    REFERENCE(python_library, "The library that that loads."),
    REFERENCE(python_tree, "The revision's work tree; absent: the working tree."),
};
static const struct member_table reference_members =
    MEMBER_TABLE(struct declared_reference, "declared_reference", reference_list, );

#define DECLARED(m, ...) MEMBER(struct declared, #m, m, __VA_ARGS__)
static const struct member declared_list[] = {
    DECLARED(name, "Its name.", MEMBER_REQUIRED),
    MEMBER_LIST(struct declared, "axes", axes, axis_count, &axis_members, DECLARED_AXES_MAX, "Sizes."),
    MEMBER_LIST(struct declared, "scalars", scalars, scalar_count, &scalar_members, OP_SCALARS_MAX,
                "Numbers that are no sizes."),
    MEMBER_LIST(struct declared, "tensors", tensors, tensor_count, &tensor_members, OP_TENSORS_MAX,
                "Inputs before what a kernel writes; absent: its kernels have times alone."),
    MEMBER_STRINGS(struct declared, "where", where, where_count, DECLARED_WHERE_MAX,
                   "Comparisons that hold for all problems."),
    DECLARED(flops, "Floating-point operations, an expression."),
    DECLARED(bytes, "Bytes that a problem must move, an expression; absent: of the tensors."),
    DECLARED(module, "How a class of PyTorch's modules is made and called; absent: kernels are no classes."),
    MEMBER_STRUCT(struct declared, "reference", reference, &reference_members,
                  "What computes the right results."),
};
const struct member_table declared_members = MEMBER_TABLE(
    struct declared, "declared", declared_list,
    .sentence = "An operator as the manifest declares it ([manifest.md](manifest.md#operators)).");

void declared_members_write(struct json_writer *w, const struct member *member, const void *object,
                            const void *context) {
    const struct operator_set *set = (const void *)((const char *)object + member->offset);
    if (!set->declared_count) return;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < set->declared_count; ++i)
        members_write_object(w, NULL, &declared_members, declared_of(set->declared[i]), context);
    json_array_end(w);
}

int declared_members_read(const struct json_at *at, const struct member *member, struct arena *arena,
                          void *object, void *context, struct err *err) {
    struct operator_set *set = (void *)((char *)object + member->offset);
    const json_t *array = NULL;
    size_t count = 0;
    TRY(field_find_items(at, member->key, member->limit, &array, &count, err));
    for (size_t i = 0; i < count; ++i) {
        struct declared *declared = arena_alloc(arena, sizeof *declared);
        const struct operator_def *op;
        struct field_place place;
        struct err why = {0};
        field_enter_item(&place, at, member->key, i, json_array_get(array, i));
        members_forget(&declared_members, declared);
        TRY(members_read(&place.at, &declared_members, arena, declared, context, err));
        if (declared_make(arena, declared, &op, &why) < 0)
            return err_set(err, ERR_DATA, "%s: %s", place.at.where, why.text);
        if (operator_find(set, op->name))
            return err_set(err, ERR_DATA, "%s: operator '%s' is there twice", place.at.where, op->name);
        declared_add(arena, set, op);
    }
    return 0;
}
