/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a shim (call_shim.h) that is the same for all functions. It is C and C++. Names are looked up
 * and numbers are checked once, in prepare, so that a launch adds nothing to the function's own time.
 */
#ifndef CONTROL_COMPILE_CALL_BODY_H
#define CONTROL_COMPILE_CALL_BODY_H

#ifdef ASSAY_REFERENCE_SINGLE_H /* `double` is float for the function alone */
#undef double
#endif
#ifdef ASSAY_CALL_LIBRARY
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>
#endif
#include <assay/kernel.h>
#include <stdio.h>
#include <stdlib.h>

struct assay_call_tensor {
    const char *name;
    int32_t dtype;
    int32_t is_dense; /* the function takes it without gaps only */
};

struct assay_call_number {
    const char *name, *type;
    double least, most; /* 0 and 0: it has fractions */
    int32_t dim;        /* of the stride of the tensor of that name; -1: an axis or scalar */
};

/* What a function gets; both lists end without a name. */
struct assay_call {
    const struct assay_call_tensor *tensors;
    const struct assay_call_number *numbers;
};

#define ASSAY_CALL_MAX 128
struct assay_call_state {
    uint32_t tensors[ASSAY_CALL_MAX]; /* their places in a problem's list */
    double numbers[ASSAY_CALL_MAX];
};

static int assay_call_say(struct assay_message *message, int status, const char *name, const char *text) {
    (void)assay_say(message, status, name);
    assay_say_more(message, text);
    return status;
}

static int assay_call_is_dense(const struct assay_tensor *tensor) {
    int64_t count = 1;
    for (int32_t d = tensor->dim_count; d-- > 0; count *= tensor->shape[d])
        if (tensor->shape[d] > 1 && tensor->stride[d] != count) return 0;
    return 1;
}

static int assay_call_supports(const struct assay_call *call, const struct assay_problem *problem,
                               struct assay_message *message) {
    for (const struct assay_call_tensor *passed = call->tensors; passed->name; ++passed) {
        const struct assay_tensor *tensor = assay_tensor_named(&problem->tensors, passed->name);
        if (!tensor)
            return assay_call_say(message, ASSAY_UNSUPPORTED, passed->name, " is no tensor of this problem");
        if (tensor->dtype != passed->dtype)
            return assay_call_say(message, ASSAY_UNSUPPORTED, passed->name,
                                  " has another element type than the function takes");
        if (passed->is_dense && !assay_call_is_dense(tensor))
            return assay_call_say(message, ASSAY_UNSUPPORTED, passed->name,
                                  " has gaps or an order of its own, and its strides are not passed");
    }
    for (uint32_t i = 0; i < problem->tensors.tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(&problem->tensors, i);
        const struct assay_call_tensor *passed = call->tensors;
        while (passed->name && !assay_name_is(passed->name, tensor->name)) ++passed;
        if (!passed->name && tensor->access != ASSAY_IN)
            return assay_call_say(message, ASSAY_UNSUPPORTED, tensor->name,
                                  " is a result that the function does not write");
    }
    return ASSAY_OK;
}

static int assay_call_prepare(const struct assay_call *call, const struct assay_problem *problem,
                              void **ret_state, struct assay_message *message) {
    struct assay_call_state *state = (struct assay_call_state *)calloc(1, sizeof *state);
    if (!state) return assay_say(message, ASSAY_FAILED, "no memory for the arguments of the function");
    for (uint32_t i = 0; call->tensors[i].name; ++i)
        while (!assay_name_is(assay_tensor_at(&problem->tensors, state->tensors[i])->name,
                              call->tensors[i].name))
            ++state->tensors[i]; /* it is there, as supports has found */
    for (uint32_t i = 0; call->numbers[i].name; ++i) {
        const struct assay_call_number *number = &call->numbers[i];
        const double value =
            number->dim < 0
                ? assay_problem_get(problem, number->name)
                : (double)assay_tensor_named(&problem->tensors, number->name)->stride[number->dim];
        state->numbers[i] = value;
        if (number->least == number->most) continue;
        if (value >= number->least && value <= number->most && value == (double)(int64_t)value) continue;
        char text[160];
        (void)snprintf(text, sizeof text, "%s%s is %.17g, which the function's type %s does not hold",
                       number->dim < 0 ? "" : "a stride of ", number->name, value, number->type);
        free(state);
        return assay_say(message, ASSAY_FAILED, text);
    }
    *ret_state = state;
    return ASSAY_OK;
}

static void *assay_call_data(const struct assay_tensors *tensors, const struct assay_call_state *state,
                             uint32_t index) {
    return assay_tensor_at(tensors, state->tensors[index])->data;
}

/* What the function returned. */
static int assay_call_end(const char *function, int status, struct assay_message *message) {
    char text[160];
    if (!status) return ASSAY_OK;
    (void)snprintf(text, sizeof text, "%.120s returned %d, and only 0 is success", function, status);
    return assay_say(message, ASSAY_FAILED, text);
}

#ifdef ASSAY_CALL_LIBRARY
/* The function is in a library, which this module holds: a module is one file, and its hash covers all that
 * runs. The sandbox lets a process make a file in memory, and read no other. */
__asm__(".pushsection .rodata, \"a\"\n"
        ".globl assay_call_library, assay_call_library_end\n"
        ".hidden assay_call_library, assay_call_library_end\n"
        "assay_call_library:\n"
        ".incbin \"" ASSAY_CALL_LIBRARY "\"\n"
        "assay_call_library_end:\n"
        ".popsection\n");
extern const char assay_call_library[] __attribute__((visibility("hidden")));
extern const char assay_call_library_end[] __attribute__((visibility("hidden")));

/* A file in memory; Linux from 6.3 on may want to know that its code will be run. */
static int assay_call_file(void) {
    const unsigned executable = 0x10; /* MFD_EXEC */
    const int file = memfd_create("assay call", MFD_CLOEXEC | executable);
    return file >= 0 ? file : memfd_create("assay call", MFD_CLOEXEC);
}

/* The function's address, or null. */
static void *assay_call_find(const char *function, struct assay_message *message) {
    char path[64];
    const int file = assay_call_file();
    const char *from = assay_call_library;
    while (from < assay_call_library_end) {
        const ssize_t count = write(file, from, (size_t)(assay_call_library_end - from));
        if (count <= 0) break;
        from += count;
    }
    if (from < assay_call_library_end) {
        (void)assay_say(message, ASSAY_FAILED, "no memory for the library that the function is in");
        return NULL;
    }
    /* The file stays open: the loader takes the same path for the same library. */
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *ret = library ? dlsym(library, function) : NULL;
    if (!ret) (void)assay_say(message, ASSAY_FAILED, dlerror());
    return ret;
}
#endif

#endif
