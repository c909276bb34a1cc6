// SPDX-License-Identifier: Apache-2.0
//
// The layout of all structs that peers/assay_abi.py repeats by hand, as a text: C and Python both write it,
// and the two texts must be equal.
#include <string.h>

#include "op/dtype.h"
#include "op/operator.h"
#include "worker/module/python_kernel.h"

#define FIELDS_MAX 16

struct layout {
    const char *name;
    size_t bytes;
    struct {
        const char *name;
        size_t offset, bytes;
    } fields[FIELDS_MAX];
};

#define FIELD(type, member)                                                                                  \
    { #member, offsetof(struct type, member), sizeof(((struct type *)0)->member) }
#define CALL(member) FIELD(python_callbacks, member)

static const struct layout layouts[] = {
    {"assay_tensor",
     sizeof(struct assay_tensor),
     {FIELD(assay_tensor, role), FIELD(assay_tensor, access), FIELD(assay_tensor, dtype),
      FIELD(assay_tensor, dim_count), FIELD(assay_tensor, shape), FIELD(assay_tensor, stride),
      FIELD(assay_tensor, data), FIELD(assay_tensor, name), FIELD(assay_tensor, flags),
      FIELD(assay_tensor, reserved)}},
    {"assay_tensors",
     sizeof(struct assay_tensors),
     {FIELD(assay_tensors, struct_size), FIELD(assay_tensors, tensor_count),
      FIELD(assay_tensors, tensor_bytes), FIELD(assay_tensors, reserved), FIELD(assay_tensors, items)}},
    {"assay_scalar", sizeof(struct assay_scalar), {FIELD(assay_scalar, name), FIELD(assay_scalar, value)}},
    {"assay_problem",
     sizeof(struct assay_problem),
     {FIELD(assay_problem, struct_size), FIELD(assay_problem, scalar_count), FIELD(assay_problem, op),
      FIELD(assay_problem, name), FIELD(assay_problem, scalars), FIELD(assay_problem, tensors),
      FIELD(assay_problem, axes), FIELD(assay_problem, axis_count), FIELD(assay_problem, reserved),
      FIELD(assay_problem, features)}},
    {"assay_message",
     sizeof(struct assay_message),
     {FIELD(assay_message, capacity), FIELD(assay_message, length), FIELD(assay_message, text)}},
    {"assay_env",
     sizeof(struct assay_env),
     {FIELD(assay_env, struct_size), FIELD(assay_env, thread_count), FIELD(assay_env, device_index),
      FIELD(assay_env, reserved), FIELD(assay_env, cache_bytes)}},
    {"python_callbacks",
     sizeof(struct python_callbacks),
     {CALL(struct_size), CALL(reserved), CALL(layout), CALL(load), CALL(supports), CALL(prepare),
      CALL(launch), CALL(release), CALL(capture_begin), CALL(capture_end), CALL(outputs_in),
      CALL(outputs_out), CALL(call_begin), CALL(call_end), CALL(find)}},
};

static const struct {
    const char *name;
    int value;
} values[] = {{"OK", ASSAY_OK},
              {"UNSUPPORTED", ASSAY_UNSUPPORTED},
              {"FAILED", ASSAY_FAILED},
              {"LOAD_UNKNOWN", PYTHON_LOAD_UNKNOWN},
              {"LOAD_INCOMPLETE", PYTHON_LOAD_INCOMPLETE},
              {"LOAD_RAISED", PYTHON_LOAD_RAISED},
              {"MAX_DIMS", ASSAY_MAX_DIMS},
              {"IN", ASSAY_IN},
              {"INOUT", ASSAY_INOUT}};

void python_kernel_layout(struct strbuf *out) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i) {
        strbuf_addf(out, "%s %zu", layouts[i].name, layouts[i].bytes);
        for (size_t k = 0; k < FIELDS_MAX && layouts[i].fields[k].name; ++k)
            strbuf_addf(out, ", %s %zu %zu", layouts[i].fields[k].name, layouts[i].fields[k].offset,
                        layouts[i].fields[k].bytes);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "types");
    for (int32_t dtype = 1; dtype_name(dtype); ++dtype)
        strbuf_addf(out, ", %d %s %zu", dtype, dtype_name(dtype), dtype_bytes(dtype));
    strbuf_add(out, "\nvalues");
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
        strbuf_addf(out, ", %s %d", values[i].name, values[i].value);
    strbuf_add(out, "\n");
}

int python_kernel_check_callbacks(const struct python_callbacks *callbacks, struct err *err) {
    if (!callbacks || callbacks->struct_size != sizeof *callbacks || !callbacks->layout)
        return err_set(err, ERR_UNAVAILABLE,
                       "the bridge to Python and libassay_worker.so are of different versions: callbacks of "
                       "%u bytes there have %zu here; install assay anew",
                       callbacks ? callbacks->struct_size : 0, sizeof *callbacks);
    struct strbuf ours = {0};
    python_kernel_layout(&ours);
    const char *theirs = callbacks->layout, *expected = strbuf_text(&ours);
    size_t begin = 0; // of the first line that differs
    for (size_t i = 0; theirs[i] && theirs[i] == expected[i]; ++i)
        if (expected[i] == '\n') begin = i + 1;
    const int code =
        str_equal(theirs, expected)
            ? 0
            : err_set(
                  err, ERR_UNAVAILABLE,
                  "the bridge to Python and libassay_worker.so are of different versions: it has '%.*s', and "
                  "here '%.*s' is expected; install assay anew",
                  (int)strcspn(theirs + begin, "\n"), theirs + begin, (int)strcspn(expected + begin, "\n"),
                  expected + begin);
    strbuf_fini(&ours);
    return code;
}
