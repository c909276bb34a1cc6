// SPDX-License-Identifier: Apache-2.0
//
// Suites: named lists of problems with short names. Shipped ones are ci, cpu, fuzz, sim and more
// (each operator has its own, op/operator.h); a manifest adds its own.
#ifndef CONTROL_PLAN_SUITE_H
#define CONTROL_PLAN_SUITE_H

#include "base/arena.h"
#include "control/plan/manifest_types.h"
#include "op/operator.h"
#include "record/own_tolerance.h"
#include "record/policy.h"
#include "record/work_order.h"

struct suite_item {
    const char *short_name; // NULL for matrix suites (fuzz)
    struct problem problem;
    const char *distribution; // of the inputs
    enum memory_layout memory_layout;
    enum op_matrix matrix; // which follows the kernel (suite_types.c); NONE: the problem stands
    bool is_dtype_named;   // the kernel does not decide it
    bool is_declared_only; // for kernels that say that they take it (op/operator.h), in one of their dtypes
    bool is_alternative;   // to the item before it, for kernels that do not take that one
    bool is_drawn;         // one of more than are checked
    const struct own_tolerance *tolerance; // of the manifest's suite; NULL: none
};

struct suite {
    const char *name, *summary;
    size_t item_count;
    struct suite_item *items; // in the arena
    bool is_drawn_from;       // the whole of a matrix that suite_add_drawn adds to
    // What the kernel does not declare that it takes, and so is not checked: "features window, mask; ...".
    const char *left_out; // NULL: nothing
};

// Resolves `name` (manifest first, then shipped), following `from` and `only`. dtype (e.g. "bf16") replaces
// the dtype of every shipped problem; NULL keeps it. ERR_USAGE for an unknown name (with the nearest) or a
// circular `from`.
int suite_resolve(const struct manifest *manifest, const char *name, const char *dtype, struct arena *arena,
                  struct suite *ret, struct err *err);
// Whether the name means the boundary matrix of the operator at hand, whichever that is: "boundary", unless
// the manifest has a suite of that name.
bool suite_is_any_boundary(const struct manifest *manifest, const char *name);
// The boundary matrix of that operator, whatever a manifest calls by its name; empty where it has none.
int suite_boundary(const struct operator_def *op, const char *dtype, struct arena *arena, struct suite *ret,
                   struct err *err);
// Keeps the items whose short name or full name is in the comma-separated list. ERR_USAGE when one matches
// nothing.
int suite_filter(struct suite *suite, const char *comma_list, struct err *err);
// Suites as sets of items (suite_sets.c): problems, each with its inputs and memory layout.
bool suite_item_equal(const struct suite_item *a, const struct suite_item *b);
bool suite_has(const struct suite *suite, const struct suite_item *item);
// The items of `first`, then those that `second` alone has. A short name that `first` gives to another
// problem is left out. Named after both, or after one that holds all.
struct suite suite_union(const struct suite *first, const struct suite *second, struct arena *arena);
void suite_keep_common(struct suite *suite, const struct suite *other); // drops the items that `other` lacks
// Full names of the problems of `from` that `in` lacks, with inputs and memory layout where they are not the
// usual ones.
struct policy_names suite_missing(const struct suite *from, const struct suite *in, struct arena *arena);
// Each item once for every input distribution of the comma list: "all" stands for normal and those that the
// operator is measured with. "s512" becomes "s512.mixed". distributions NULL: nothing changes. ERR_USAGE.
int suite_take_distributions(struct suite *suite, const char *distributions, struct arena *arena,
                             struct err *err);
// Times are measured in dense tensors, with inputs that the operator names for it. ERR_USAGE.
int suite_check_measurable(const struct suite *suite, struct err *err);

// Adds problems that the matrix could have had, as the operator draws them (suite_draw.c): more than are
// checked, so that some are left where a kernel takes few.
void suite_add_drawn(struct suite *suite, struct dice *dice, struct arena *arena);

// A matrix follows the kernel: which dtypes, and which of the problems that not every kernel takes
// (suite_types.c). Cases to ask it about; those with one index stand together, and one answer is enough.
struct suite_question {
    size_t index_count, case_count; // case_count 0: nothing depends on the kernel
    struct work_case *cases;
};
void suite_ask(const struct suite *suite, struct arena *arena, struct suite_question *ret);
// is_supported[index]; NULL: no answer. Puts the items of a matrix into the dtypes that are supported: all of
// them, or the first where is_one; none is: they stay as they are. Each item that only kernels take which say
// so is in one of those dtypes, in turn, and at most SUITE_DRAWN_MAX drawn ones are; without an answer none.
#define SUITE_DRAWN_MAX 8
void suite_take(struct suite *suite, const bool *is_supported, bool is_one, struct arena *arena);
// A suite of ad-hoc problems: "NAME" or "NAME,NAME". ERR_USAGE.
int suite_of_problems(const struct operator_set *set, const char *comma_list, struct arena *arena,
                      struct suite *ret, struct err *err);
// Names of all suites, for `assay list`: index counts up; NULL at the end.
const char *suite_name_at(const struct manifest *manifest, size_t index, const char **ret_summary);

#endif
