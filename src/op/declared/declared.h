// SPDX-License-Identifier: Apache-2.0
//
// An operator that a user declares, as data: axes, scalars, named tensors and what holds between them. What
// is declared is text, as the user wrote it; declared_make reads all of it once and makes an operator of it,
// so whoever carries the texts (a manifest, a plan, a work order) carries the operator.
#ifndef OP_DECLARED_DECLARED_H
#define OP_DECLARED_DECLARED_H

#include "base/arena.h"
#include "op/operator.h"

#define DECLARED_NAME_MAX      96 // characters of an operator's name
#define DECLARED_AXES_MAX      16
#define DECLARED_WHERE_MAX     64
#define DECLARED_OPERATORS_MAX 1024                  // of a manifest
#define DECLARED_TENSORS_BYTES (UINT64_C(256) << 30) // of a problem's tensors together

struct own_tolerance;

// An axis is free, and then a problem's name gives its size, or follows from axes before it.
struct declared_axis {
    const char *name;
    const char *size; // a whole number from 1 on: free, and this is its default; else an expression
};

// A number of the problem that is no size: a kernel gets it as a scalar.
struct declared_scalar {
    const char *name;
    double value;    // the default
    bool is_bool;    // 1 or 0, which a problem's name has as True or False
    bool is_integer; // Python gets an int
};

// A number, or true or false in small letters or as Python has them. false: neither.
bool declared_scalar_parse(const char *text, struct declared_scalar *ret);

struct declared_tensor {
    const char *name;
    // TYPE[SIZE, ...] with sizes as expressions of axes, for what a kernel reads what fills it: a family of
    // inputs (op/declared/tensor_spec.h), and for what it writes what is right: struct declared_rule. "[]":
    // one number.
    const char *spec;
    int32_t access; // enum assay_access; in-out and outputs stand behind the inputs
};

// What computes the right results: a kernel of kernel.h (src/worker/module/kernel.h) whose floating-point
// tensors are all fp64 and whose integers are as declared. Its source is policy; the modules are built by
// control before a plan is made. Or a function in Python, whose file stands for both modules
// (peers/assay_reference.py).
struct declared_reference {
    const char *source;      // path below the manifest's folder; NULL: nothing is checked
    const char *function;    // in that source, which is Python; NULL: C
    const char *plain;       // there, the one whose errors are the 2 x rule's; NULL: that function's own
    const char *accept;      // there, the one that says alone whether results are right; NULL: none does
    const char *random;      // results are drawn: DECLARED_DRAWN, or by which input; NULL: they are not
    const char *call;        // the signature of its function (control/plan/call.h); NULL: a module
    const char *dir;         // that folder; in no document
    const char *module_path; // of the built one
    const char *module_hash; // sha256_file_hex
    const char *single_module_path; // the same source with fp32 in place of fp64, for the 2 x rule
    const char *single_module_hash; // NULL: it does not compile so, a tolerance decides alone ...
    const char *single_note;        // ... for this reason
    const char *python_interpreter, *python_bridge, *python_library; // as of a side (record/work_order.h)
    const char *python_tree;
};

struct declared {
    const char *name; // lower-case letters, digits and '_'
    const struct declared_axis *axes;
    size_t axis_count;
    const struct declared_scalar *scalars;
    size_t scalar_count;
    const struct declared_tensor *tensors;
    size_t tensor_count;
    const char *const *where; // comparisons of axes that hold for all problems
    size_t where_count;
    const char *flops, *bytes; // expressions of axes; NULL: unknown, and every tensor once, in-out ones twice
    // How a class of modules is made and called, a Python literal (peers/assay_kernelbench.py); NULL: kernels
    // are no classes.
    const char *module;
    struct declared_reference reference;
    // Of its problems, where neither kernel nor suite has one; NULL: none. The cases of a plan have it.
    const struct own_tolerance *tolerance; // record/own_tolerance.h
};

// Of a file that measures by itself (peers/assay_perf_report.py): its kernels get no tensors, and nobody says
// what is right.
static inline bool declared_is_timed_only(const struct declared *declared) {
    return declared && declared->module && !declared->tensor_count;
}

// An operator's name made of a file's, or of somebody else's: letters in the small form, '_' for what no name
// has.
const char *declared_name_of(struct arena *arena, const char *text, size_t length);

// The operator. The texts and *declared live as long as the arena's memory, in which the rest is. ERR_CONFIG:
// what is wrong in it and what to write; where that is in an axis, a scalar or a tensor, the sentence begins
// with "axis 'NAME': ". The caller says which declaration.
int declared_make(struct arena *arena, const struct declared *declared, const struct operator_def **ret,
                  struct err *err);
// The declaration of such an operator; NULL: another one.
const struct declared *declared_of(const struct operator_def *op);

// What the text of a result says is right, besides equal numbers or a tolerance. Numbers of tensors are -1
// where it is not said.
struct declared_rule {
    // In all elements but this share: the reference's number, rounded to the type; in those, as many steps of
    // the type off at most. 0: not so. What fp8 has if nothing is said: 1.
    uint32_t steps;
    double share;
    // Indices into the last axis of that input (of an in-out tensor before the launch), in any order, none
    // twice: their values are those at the reference's. Which tensor holds these values in the same order.
    int32_t picks, values;
    // Which tensor counts what is used of this one: elements along used_axis, behind which it may be
    // unwritten.
    int32_t used;
    int32_t used_axis; // the counts have the sizes of the axes before it
    bool is_accepted;  // by declared_reference.accept, which gets all results, in place of any other rule
};
// NULL: it says nothing of the kind.
const struct declared_rule *declared_rule_of(const struct operator_def *op, size_t tensor);

// What a mutant of an operator ignores: an input, an in-out tensor or a scalar of a declared one, by name.
// NULL: it does something else.
const char *declared_ignored_input(const struct operator_def *op, const struct mutant *mutant);
// The same with all floating-point tensors of one type (fp64, fp32): what its reference computes with. What
// *from has in common with *ret is not copied.
void declared_with_floats(struct arena *arena, const struct declared *from, int32_t dtype,
                          struct declared *ret);
// What makes the tensors that its Python file returns as data: the same axes, a seed, and these tensors as
// results of the file's function `inputs`.
#define DECLARED_SEED "assay_seed"
void declared_maker(struct arena *arena, const struct operator_def *op, struct declared *ret);
// What its function `accept` is: inputs (of in-out tensors what they hold before a launch), every result and,
// with numbers in fp64, every right one, as inputs; the answer as DECLARED_ANSWER.
#define DECLARED_GOT          "assay_got"      // and the number of the result
#define DECLARED_RIGHT        "assay_expected" // the same
#define DECLARED_LAUNCHES     "assay_launches" // of a sampler: how many results there are of each
#define DECLARED_ANSWER       "assay_answer"   // DECLARED_REFUSED and a sentence, or 0
#define DECLARED_ANSWER_BYTES 256
#define DECLARED_REFUSED      1
// A sampler's results differ from launch to launch: of the kernel's own chance, or as one input, the seed,
// does. `accept` gets them with an axis more, of so many launches or of one.
#define DECLARED_DRAWN   "true"
#define DECLARED_SAMPLES 500
bool declared_is_sampler(const struct operator_def *op);
void declared_accepter(struct arena *arena, const struct declared *from, struct declared *ret);
// MODULE:FUNCTION of a Python file, and its folder.
const char *declared_callable(struct arena *arena, const char *path, const char *function,
                              const char **ret_folder);
// Adds a declared operator to a set, unless the set has one of its name; other operators are in every set.
void declared_add(struct arena *arena, struct operator_set *set, const struct operator_def *op);

#endif
