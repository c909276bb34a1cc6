/* SPDX-License-Identifier: Apache-2.0
 *
 * assay kernel ABI, version 1: what a kernel under test must export.
 *
 * The only header that a kernel's author includes. It is plain C99, and compiles as C++17 and with nvcc.
 *
 * A module is a shared library that exports ONE symbol, `assay_module`, which returns its kernels:
 *
 *     static const struct assay_kernel kernels[] = {{
 *         .struct_size = sizeof(struct assay_kernel), .abi_version = ASSAY_ABI_VERSION,
 *         .name = "mine", .op = "attention", .backend = "cpu",
 *         .supports = mine_supports, .launch = mine_launch}};
 *     ASSAY_MODULE(kernels)
 *
 * Life of a kernel inside one worker process, for one problem:
 *
 *     supports(problem)                          ASSAY_UNSUPPORTED with a reason is a fair answer.
 *     prepare(problem, env, &state, &bytes)      Untimed: tables, JIT, plans; returns its workspace's size.
 *     launch(state, tensors, workspace, stream)  As often as the host likes, with other pointers each time.
 *     release(state)
 *
 * Rules for launch, which the host checks:
 *   - it writes every element of every output tensor, and nothing else: not its inputs, not past the end, not
 *     the gaps between rows of a strided tensor;
 *   - it does no allocation, no synchronisation and no I/O, and it leaves no work behind: on "cpu" everything
 *     is finished when it returns; on "cuda" everything is ordered on the stream that was passed, and can be
 *     captured;
 *   - it keeps no results from launch to launch;
 *   - the same inputs give the same bits.
 *
 * Versions. A struct that host and module exchange begins with its size, as known to the side that fills it;
 * for the items of an array the struct that holds it gives their size (tensor_bytes, param_bytes,
 * kernel_bytes); assay_scalar and assay_message carry none. A reader treats members beyond that size as
 * absent (null or zero). Members are only ever added at the end.
 * A host accepts every module whose abi_version lies in [ASSAY_ABI_OLDEST, ASSAY_ABI_VERSION] of the host.
 */
#ifndef ASSAY_KERNEL_H
#define ASSAY_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_ABI_VERSION 1 /* what this header describes */
#define ASSAY_ABI_OLDEST  1 /* the oldest version that hosts built with this header accept */
#define ASSAY_MAX_DIMS    8

#if defined(_WIN32)
#define ASSAY_EXPORT __declspec(dllexport)
#else
#define ASSAY_EXPORT __attribute__((visibility("default")))
#endif

/* What every callback returns. Anything but ASSAY_OK should come with a sentence in the message. */
enum assay_status {
    ASSAY_OK = 0,
    ASSAY_UNSUPPORTED = 1,    /* a fair "not mine": the case is reported as UNSUPPORTED, not as a failure */
    ASSAY_INVALID_CONFIG = 2, /* check_config: these values do not go together */
    ASSAY_FAILED = 3          /* it should have worked and did not */
};

/* Element types. fp8 e4m3 is the OCP "fn" kind: no infinities, NaN is 0x7f/0xff, largest 448. */
enum assay_dtype {
    ASSAY_DTYPE_INVALID = 0,
    ASSAY_FP32 = 1,
    ASSAY_FP16 = 2,
    ASSAY_BF16 = 3,
    ASSAY_FP8_E4M3 = 4,
    ASSAY_FP64 = 5,
    ASSAY_INT32 = 6
};

enum assay_access { ASSAY_ACCESS_INVALID = 0, ASSAY_IN = 1, ASSAY_OUT = 2, ASSAY_INOUT = 3 };

/* What a tensor is to its operator. New operators add roles at the end; nothing else changes. */
enum assay_role {
    ASSAY_ROLE_INVALID = 0,
    /* attention: shapes are always in this order, strides say the layout */
    ASSAY_Q = 1,       /* attention: queries [B][H][Sq][D] */
    ASSAY_K = 2,       /* attention: keys    [B][H_kv][Sk][D] */
    ASSAY_V = 3,       /* attention: values  [B][H_kv][Sk][D] */
    ASSAY_O = 4,       /* attention: output  [B][H][Sq][D] */
    ASSAY_LSE = 5,     /* attention: log-sum-exp of the scaled scores, natural logarithm, fp32 [B][H][Sq] */
    ASSAY_Q_SCALE = 6, /* attention, fp8: value = element * scale; fp32 [B][H] */
    ASSAY_K_SCALE = 7, /* fp32 [B][H_kv] */
    ASSAY_V_SCALE = 8, /* fp32 [B][H_kv] */
    ASSAY_X = 9,       /* example operator: input vector */
    ASSAY_Y = 10       /* example operator: output vector */
};

/* One tensor. Strides are in elements. The host promises: data aligned to 16 bytes at least; the innermost
 * stride is 1; every other stride, times the element size, a multiple of 16 bytes unless the tensor has
 * rank 1 or is fp32 statistics (scales, log-sum-exp), which are dense. data is null in problem
 * descriptions (supports, prepare). */
struct assay_tensor {
    int32_t role;   /* enum assay_role */
    int32_t access; /* enum assay_access */
    int32_t dtype;  /* enum assay_dtype */
    int32_t dim_count;
    int64_t shape[ASSAY_MAX_DIMS];
    int64_t stride[ASSAY_MAX_DIMS];
    void *data; /* the backend's address: host memory on "cpu", device memory on "cuda" */
};

/* A list of tensors. tensor_bytes is the distance between items: use assay_tensor_at / assay_tensor_find,
 * which keep working when the tensor grows members. */
struct assay_tensors {
    uint32_t struct_size;
    uint32_t tensor_count;
    uint32_t tensor_bytes;
    uint32_t reserved;
    const struct assay_tensor *items;
};

/* A named number of a problem or of a configuration. */
struct assay_scalar {
    const char *name;
    double value; /* integers up to 2^53 are exact */
};

/* What is to be computed. attention has the scalars batch, heads, heads_kv, seq_q, seq_k, head_dim, causal
 * (0 no mask; 1 top-left: key j is visible to query i when j <= i; 2 bottom-right: j <= i + seq_k -
 * seq_q), scale (multiplies Q K^T before softmax). A query that sees no key has output 0 and log-sum-exp
 * -infinity. */
struct assay_problem {
    uint32_t struct_size;
    uint32_t scalar_count;
    const char *op;   /* "attention" */
    const char *name; /* "attention/fp16/b32/h8/s512/d64/causal" */
    const struct assay_scalar *scalars;
    struct assay_tensors tensors; /* shapes, strides, dtypes; no data */
};

/* Receives the sentence of a callback. Fill it with assay_say(). */
struct assay_message {
    uint32_t capacity; /* bytes in text, including the terminating zero */
    uint32_t length;
    char *text;
};

/* On the "cpu" backend the `stream` argument of launch points to this: the host's pinned threads. Using it
 * is not required, but a kernel that does is measured on the same threads as those it is compared with. */
struct assay_cpu_stream {
    uint32_t struct_size;
    uint32_t thread_count; /* threads that parallel_for uses, including the caller */
    /* Runs body(arg, index, thread) for every index in [0, count), spread over the threads dynamically;
     * thread is in [0, thread_count). Returns when all are done. Not reentrant. */
    void (*parallel_for)(const struct assay_cpu_stream *stream, int64_t count,
                         void (*body)(void *arg, int64_t index, uint32_t thread), void *arg);
};

/* The environment that prepare runs in: threads or device, and cache size. */
struct assay_env {
    uint32_t struct_size;
    uint32_t thread_count; /* "cpu": as in assay_cpu_stream */
    int32_t device_index;  /* "cuda": ordinal; the primary context is current. -1 on "cpu" */
    uint32_t reserved;
    uint64_t cache_bytes; /* "cpu": L2 bytes of one core; "cuda": L2 bytes of the device; 0 when unknown */
};

/* One build parameter, given to the compiler as -DNAME=VALUE. values lists what is allowed. */
struct assay_param {
    const char *name;
    const char *help;
    int64_t value; /* of this build */
    const int64_t *values;
    uint32_t value_count;
    uint32_t reserved;
};

struct assay_kernel {
    uint32_t struct_size;
    uint32_t abi_version;
    const char *name;    /* unique in its module */
    const char *op;      /* operator: "attention" */
    const char *backend; /* "cpu", "cuda" */

    /* Required. */
    int (*supports)(const struct assay_problem *problem, struct assay_message *message);
    int (*launch)(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message);

    /* Optional: null when there is nothing to prepare. *workspace_bytes is 0 on entry; the host gives
     * workspace aligned to 256 bytes, with undefined contents, the same for all launches of this state. */
    int (*prepare)(const struct assay_problem *problem, const struct assay_env *env, void **state,
                   size_t *workspace_bytes, struct assay_message *message);
    void (*release)(void *state);

    /* Optional: the build configuration. */
    const struct assay_param *params;
    uint32_t param_count;
    uint32_t param_bytes; /* sizeof(struct assay_param) as the module knew it */
    /* Optional: whether these values, each allowed alone, are possible together. Called before a build. */
    int (*check_config)(const struct assay_scalar *values, uint32_t count, struct assay_message *message);
    const char *summary; /* one line for `assay list` */
};

struct assay_module {
    uint32_t struct_size;
    uint32_t abi_version;
    uint32_t kernel_count;
    uint32_t kernel_bytes; /* sizeof(struct assay_kernel) as the module knew it */
    const struct assay_kernel *kernels;
};

/* The exported symbol. */
typedef const struct assay_module *(*assay_module_fn)(void);
ASSAY_EXPORT const struct assay_module *assay_module(void);

/* A shipped module that is linked into the host instead of loaded defines ASSAY_MODULE_SYMBOL to a name of
 * its own. */
#ifndef ASSAY_MODULE_SYMBOL
#define ASSAY_MODULE_SYMBOL assay_module
#endif

#define ASSAY_MODULE(kernel_array)                                                                           \
    ASSAY_EXPORT const struct assay_module *ASSAY_MODULE_SYMBOL(void);                                       \
    ASSAY_EXPORT const struct assay_module *ASSAY_MODULE_SYMBOL(void) {                                      \
        static const struct assay_module module = {                                                          \
            sizeof(struct assay_module), ASSAY_ABI_VERSION,                                                  \
            (uint32_t)(sizeof(kernel_array) / sizeof((kernel_array)[0])), sizeof(struct assay_kernel),       \
            kernel_array};                                                                                   \
        return &module;                                                                                      \
    }

/* ---- small helpers, header-only, so that a module links to nothing ---- */

static inline const struct assay_tensor *assay_tensor_at(const struct assay_tensors *tensors,
                                                         uint32_t index) {
    return (const struct assay_tensor *)(const void *)((const char *)(const void *)tensors->items +
                                                       (size_t)index * tensors->tensor_bytes);
}

/* The tensor with that role, or null when the problem has none. */
static inline const struct assay_tensor *assay_tensor_find(const struct assay_tensors *tensors,
                                                           int32_t role) {
    for (uint32_t i = 0; i < tensors->tensor_count; ++i)
        if (assay_tensor_at(tensors, i)->role == role) return assay_tensor_at(tensors, i);
    return NULL;
}

/* The scalar's value, or fallback when the problem has none of that name. */
static inline double assay_scalar_get(const struct assay_scalar *scalars, uint32_t count, const char *name,
                                      double fallback) {
    for (uint32_t i = 0; i < count; ++i) {
        const char *a = scalars[i].name, *b = name;
        while (*a && *a == *b) ++a, ++b;
        if (*a == *b) return scalars[i].value;
    }
    return fallback;
}

/* Leaves a sentence for the user; cut at the message's capacity. Returns status, so that it can end a
 * callback. */
static inline int assay_say(struct assay_message *message, int status, const char *text) {
    if (!message || !message->text || !message->capacity) return status;
    uint32_t n = 0;
    while (text[n] && n + 1 < message->capacity) {
        message->text[n] = text[n];
        ++n;
    }
    message->text[n] = 0;
    message->length = n;
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
