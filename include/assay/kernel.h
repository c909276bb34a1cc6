/* SPDX-License-Identifier: Apache-2.0
 *
 * assay kernel ABI, version 4: what a kernel under test must export.
 *
 * The only header that a kernel's author includes. It is plain C99, and compiles as C++17 and with nvcc.
 *
 * A module is a shared library that exports ONE symbol, `assay_module`, which returns its kernels:
 *
 *     static int launch(ASSAY_LAUNCH_ARGS) { ... return ASSAY_OK; }
 *     ASSAY_KERNEL(.name = "mine", .op = "attention", .backend = "cpu", .launch = launch,
 *                  .dtypes = ASSAY_BIT(ASSAY_FP32), .layouts = ASSAY_LAYOUT_DENSE)
 *
 * or, with several kernels, an array of struct assay_kernel and ASSAY_MODULE(array).
 *
 * Life of a kernel inside one worker process, for one problem:
 *
 *     (dtypes, layouts, ...)                     What the kernel says that it can do; the host compares.
 *     supports(problem)                          ASSAY_UNSUPPORTED with a reason is a fair answer.
 *     prepare(problem, env, &state, &bytes)      Untimed: tables, JIT, plans; returns its workspace's size.
 *                                                The problem stays where it is until release.
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
 *   - the same inputs give the same bits (operators whose sums may be added in any order: the same within the
 *     tolerance).
 *
 * Version 4 (2026-11) has five more element types, and is otherwise version 3.
 * Version 3 (2026-11) lets a kernel say what it can do instead of answering supports, makes the problem the
 * state of a kernel without prepare, and gives problems features: fields that a kernel only sees when it says
 * that it knows them. A kernel of an older version is never given such a problem.
 * Version 2 (2026-11) gives tensors a name and flags, and problems their axes. A module of version 1 sees
 * neither and runs unchanged.
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

#define ASSAY_ABI_VERSION 4 /* what this header describes */
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

/* Element types: ASSAY_FP32 and so on, their numbers, names, bits, class, bits of the fraction, and the least
 * and greatest exponent of normal numbers. fp8 e4m3 is the OCP "fn" kind: no infinities, NaN is 0x7f/0xff,
 * largest 448. fp8 e5m2 is as IEEE 754 would have it: with infinities, largest finite number 57344. Numbers
 * from 7 on: since version 2; from 10 on: since version 4. bool is a byte, 0 or 1. fp4_e2m1x2 is a byte with
 * two OCP e2m1 numbers, the first in its lower half: shapes and strides count bytes. e8m0 is the OCP MX scale
 * 2^(byte - 127), 0xff is NaN: no sign, no zero, no infinity. */
#define ASSAY_DTYPES(X)                                                                                      \
    X(FP32, 1, "fp32", 32, FLOAT, 23, -126, 127)                                                             \
    X(FP16, 2, "fp16", 16, FLOAT, 10, -14, 15)                                                               \
    X(BF16, 3, "bf16", 16, FLOAT, 7, -126, 127)                                                              \
    X(FP8_E4M3, 4, "fp8_e4m3", 8, FLOAT, 3, -6, 8)                                                           \
    X(FP64, 5, "fp64", 64, FLOAT, 52, -1022, 1023)                                                           \
    X(INT32, 6, "int32", 32, INTEGER, 0, 0, 0)                                                               \
    X(FP8_E5M2, 7, "fp8_e5m2", 8, FLOAT, 2, -14, 15)                                                         \
    X(INT8, 8, "int8", 8, INTEGER, 0, 0, 0)                                                                  \
    X(INT64, 9, "int64", 64, INTEGER, 0, 0, 0)                                                               \
    X(UINT8, 10, "uint8", 8, INTEGER, 0, 0, 0)                                                               \
    X(INT16, 11, "int16", 16, INTEGER, 0, 0, 0)                                                              \
    X(BOOL, 12, "bool", 8, INTEGER, 0, 0, 0)                                                                 \
    X(FP4_E2M1X2, 13, "fp4_e2m1x2", 8, INTEGER, 0, 0, 0)                                                     \
    X(E8M0, 14, "e8m0", 8, FLOAT, 0, -127, 127)
#define ASSAY_DTYPE_ENUM_(id, number, ...) ASSAY_##id = number,
enum assay_dtype {
    ASSAY_DTYPE_INVALID = 0,
    ASSAY_DTYPES(ASSAY_DTYPE_ENUM_) ASSAY_DTYPE_END /* one above the last */
};

#define ASSAY_BIT(value) (1u << (value)) /* .dtypes = ASSAY_BIT(ASSAY_FP32) | ASSAY_BIT(ASSAY_FP16) */

/* Bits of assay_kernel.layouts: how tensors may lie in memory. */
enum assay_layout {
    ASSAY_LAYOUT_DENSE = 1,   /* in the order of the shape, without gaps */
    ASSAY_LAYOUT_BSHD = 2,    /* axes 1 and 2 exchanged, without gaps: batch, sequence, head, dimension */
    ASSAY_LAYOUT_STRIDED = 4, /* whatever the strides say */
    /* attention: problems with the feature qkv_packed, "qkv" dense and the output as BSHD. Alone it says that
     * a kernel takes no other problems. */
    ASSAY_LAYOUT_QKV_PACKED = 8
};

/* Bits of assay_kernel.causal: ASSAY_BIT of the scalar of that name. */
enum assay_mask {
    ASSAY_MASK_NONE = 1,
    ASSAY_MASK_TOP_LEFT = 2,    /* with as many queries as keys also what is bottom-right */
    ASSAY_MASK_BOTTOM_RIGHT = 4 /* with as many queries as keys also what is top-left */
};

/* Bits of assay_kernel.lacks. */
enum assay_lack {
    ASSAY_LACKS_GROUPED_HEADS = 1, /* heads and heads_kv must be equal */
    ASSAY_LACKS_TWO_LENGTHS = 2,   /* seq_q and seq_k must be equal */
    ASSAY_LACKS_SCALE = 4,         /* scale must be 1 / sqrt(head_dim) */
    ASSAY_LACKS_LSE = 8            /* there must be no log-sum-exp */
};

enum assay_access { ASSAY_ACCESS_INVALID = 0, ASSAY_IN = 1, ASSAY_OUT = 2, ASSAY_INOUT = 3 };

/* What a tensor is to its operator. Roles are closed: tensors of newer operators are ASSAY_NAMED, and a
 * kernel finds them with assay_tensor_named(). Tensors with a role have a name too: "q", "k", "v", "out",
 * "lse", "q_scale", "k_scale", "v_scale", "x", "y". */
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
    ASSAY_Y = 10,      /* example operator: output vector */
    ASSAY_NAMED = 11   /* its name says what it is */
};

/* Bits of assay_tensor.flags. */
enum assay_tensor_flag {
    ASSAY_STATISTIC = 1 /* a few numbers about other tensors (scales, log-sum-exp): always dense */
};

/* One tensor. Strides are in elements. The host promises: data aligned to 16 bytes at least; the innermost
 * stride is 1; every other stride, times the element size, a multiple of 16 bytes unless the tensor has
 * rank 1 or is a statistic (scales, log-sum-exp), which is dense. data is null in problem descriptions
 * (supports, prepare). */
struct assay_tensor {
    int32_t role;   /* enum assay_role */
    int32_t access; /* enum assay_access */
    int32_t dtype;  /* enum assay_dtype */
    int32_t dim_count;
    int64_t shape[ASSAY_MAX_DIMS];
    int64_t stride[ASSAY_MAX_DIMS];
    void *data; /* the backend's address: host memory on "cpu", device memory on "cuda" */
    /* since version 2 */
    const char *name; /* unique in its problem: "q", "bias" */
    uint32_t flags;   /* of enum assay_tensor_flag */
    uint32_t reserved;
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

/* What is to be computed. attention has the scalars batch, heads, heads_kv, seq_q, seq_k, head_dim, causal (0
 * no mask; 1 top-left: key j is visible to query i when j <= i; 2 bottom-right: j <= i + seq_k - seq_q),
 * scale (multiplies Q K^T before softmax). A query that sees no key has output 0 and log-sum-exp -infinity.
 * Its features, each with a scalar of that name: head_dim_v (V and the output have rows of that length),
 * window (query i sees keys j with i + shift - window < j <= i + shift, if any; shift is 0 or, bottom-right,
 * seq_k - seq_q), softcap (a score s becomes softcap tanh(s / softcap), before the mask), mask (1: of the
 * keys that it would see otherwise, a query sees those for which the tensor "mask" is 1 and not 0; int8 [B or
 * 1][H or 1][Sq][Sk], with strides of 0 where it repeats, so that assay_row() finds a query's row for any
 * batch entry and head), bias (1: the tensor "bias", of the output's type, with a shape and strides as a mask
 * has, is added to the scores, after scale and softcap and before the mask), out_dtype (of enum assay_dtype:
 * that of the output, which is not Q's, or, where Q is fp8, not fp16), qkv_packed (1: in place of "q", "k"
 * and "v" there is one tensor, "qkv", [B][S][H + 2 H_kv][D]: the heads of Q, of K and of V of a token;
 * assay_qkv() finds them as if each had a tensor of its own; the output lies in memory as [B][S][H][D]). */
struct assay_problem {
    uint32_t struct_size;
    uint32_t scalar_count;
    const char *op;   /* "attention" */
    const char *name; /* "attention/fp16/b32/h8/s512/d64/causal" */
    const struct assay_scalar *scalars;
    struct assay_tensors tensors; /* shapes, strides, dtypes; no data */
    /* since version 2: the extents that the operator's shapes are made of, such as m, n and k; scalars of the
     * same name hold the same numbers */
    const struct assay_scalar *axes;
    uint32_t axis_count;
    uint32_t reserved;
    /* since version 3: what a kernel must know to compute this, words between spaces: "window softcap"; null
     * or "": nothing besides the above */
    const char *features;
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

    /* supports may be null since version 3. */
    int (*supports)(const struct assay_problem *problem, struct assay_message *message);
    int (*launch)(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                  struct assay_message *message);

    /* Optional: null when there is nothing to prepare. On entry *state is the problem itself (before version
     * 3: null), and stays so without prepare, or when prepare needs no state of its own; release is then not
     * called. *workspace_bytes is 0 on entry; the host gives workspace aligned to 256 bytes, with undefined
     * contents, the same for all launches of this state. */
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
    /* since version 3: what the kernel can do, compared with the problem before supports is asked. 0 or
     * null: not said, and so no limit; but a problem with features goes only to a kernel that names them
     * all. */
    uint32_t dtypes;          /* ASSAY_BIT(ASSAY_FP32) | ...: of all tensors but statistics and features */
    uint32_t layouts;         /* of enum assay_layout: of the same tensors */
    uint32_t causal;          /* of enum assay_mask */
    uint32_t lacks;           /* of enum assay_lack */
    const int64_t *head_dims; /* the head dimensions, 0 behind the last */
    const char *features;     /* those that it knows, as in assay_problem; "*": all */
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

/* Around a declaration that names some members: C++ compilers warn of the others, and until C++20 of that. */
#if defined(__cplusplus) && defined(__GNUC__)
#define ASSAY_SOME_MEMBERS_                                                                                  \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")        \
        _Pragma("GCC diagnostic ignored \"-Wpedantic\"") __extension__
#define ASSAY_SOME_MEMBERS_END_ _Pragma("GCC diagnostic pop")
#else
#define ASSAY_SOME_MEMBERS_
#define ASSAY_SOME_MEMBERS_END_
#endif

/* A module of one kernel, from members of struct assay_kernel; in C++ they come in the order of the struct:
 *     ASSAY_KERNEL(.name = "mine", .op = "scale", .backend = "cpu", .launch = launch) */
#define ASSAY_KERNEL(...)                                                                                    \
    ASSAY_SOME_MEMBERS_                                                                                      \
    static const struct assay_kernel assay_kernel_[] = {                                                     \
        {.struct_size = sizeof(struct assay_kernel), .abi_version = ASSAY_ABI_VERSION, __VA_ARGS__}};        \
    ASSAY_SOME_MEMBERS_END_                                                                                  \
    ASSAY_MODULE(assay_kernel_)

/* The parameters of launch and prepare, under the names that struct assay_kernel gives them. Those that a
 * kernel does not use bring no warning:
 *     static int launch(ASSAY_LAUNCH_ARGS) { ... } */
#if defined(__GNUC__)
#define ASSAY_UNUSED_ __attribute__((unused))
#else
#define ASSAY_UNUSED_
#endif
#define ASSAY_LAUNCH_ARGS                                                                                    \
    void *state ASSAY_UNUSED_, const struct assay_tensors *tensors ASSAY_UNUSED_,                            \
        void *workspace ASSAY_UNUSED_, void *stream ASSAY_UNUSED_,                                           \
        struct assay_message *message ASSAY_UNUSED_
#define ASSAY_PREPARE_ARGS                                                                                   \
    const struct assay_problem *problem ASSAY_UNUSED_, const struct assay_env *env ASSAY_UNUSED_,            \
        void **state ASSAY_UNUSED_, size_t *workspace_bytes ASSAY_UNUSED_,                                   \
        struct assay_message *message ASSAY_UNUSED_

/* A prepare that asks for memory and nothing else; `bytes` may use its parameters:
 *     ASSAY_WORKSPACE(prepare, assay_problem_get(problem, "heads") * 4096) */
#define ASSAY_WORKSPACE(name, bytes)                                                                         \
    static int name(ASSAY_PREPARE_ARGS) {                                                                    \
        *workspace_bytes = (size_t)(bytes);                                                                  \
        return ASSAY_OK;                                                                                     \
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

static inline int assay_name_is(const char *a, const char *b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}

/* The tensor of that name, or null when the problem has none, or when the host is of version 1. */
static inline const struct assay_tensor *assay_tensor_named(const struct assay_tensors *tensors,
                                                            const char *name) {
    if (tensors->tensor_bytes < sizeof(struct assay_tensor)) return NULL;
    for (uint32_t i = 0; i < tensors->tensor_count; ++i) {
        const struct assay_tensor *tensor = assay_tensor_at(tensors, i);
        if (tensor->name && assay_name_is(tensor->name, name)) return tensor;
    }
    return NULL;
}

/* The scalar's value, or fallback when the problem has none of that name. */
static inline double assay_scalar_get(const struct assay_scalar *scalars, uint32_t count, const char *name,
                                      double fallback) {
    for (uint32_t i = 0; i < count; ++i)
        if (assay_name_is(scalars[i].name, name)) return scalars[i].value;
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

/* Adds to the sentence. */
static inline void assay_say_more(struct assay_message *message, const char *text) {
    if (!message || !message->text) return;
    while (*text && message->length + 1 < message->capacity) message->text[message->length++] = *text++;
    if (message->length < message->capacity) message->text[message->length] = 0;
}

/* A scalar of the problem; 0 when it has none of that name. */
static inline double assay_problem_get(const struct assay_problem *problem, const char *name) {
    return assay_scalar_get(problem->scalars, problem->scalar_count, name, 0);
}

/* "cpu": how many threads launch may use, for functions that bring threads of their own. */
static inline uint32_t assay_thread_count(const void *stream) {
    return ((const struct assay_cpu_stream *)stream)->thread_count;
}

#define ASSAY_DTYPE_BYTES_(id, number, name, bits, ...)                                                      \
    case ASSAY_##id: return (bits) / 8;
static inline int64_t assay_dtype_bytes(int32_t dtype) {
    switch (dtype) {
        ASSAY_DTYPES(ASSAY_DTYPE_BYTES_)
    default: return 1;
    }
}

#define ASSAY_DTYPE_NAME_(id, number, name, ...)                                                             \
    case ASSAY_##id: return name;
static inline const char *assay_dtype_name(int32_t dtype) {
    switch (dtype) {
        ASSAY_DTYPES(ASSAY_DTYPE_NAME_)
    default: return "an unknown type";
    }
}

/* attention: Q, K or V (role): the tensor of its own, or the view into "qkv" that is one. A kernel that reads
 * strides needs no more for qkv_packed. 0: there is neither. */
static inline int assay_qkv(const struct assay_tensors *tensors, int32_t role, struct assay_tensor *ret) {
    const struct assay_tensor *own = assay_tensor_find(tensors, role),
                              *qkv = assay_tensor_named(tensors, "qkv"),
                              *out = assay_tensor_find(tensors, ASSAY_O);
    if (own) *ret = *own;
    if (own || !qkv || !out) return own != NULL;
    const int64_t heads = out->shape[1], heads_kv = (qkv->shape[2] - heads) / 2;
    const int64_t first = role == ASSAY_Q ? 0 : role == ASSAY_K ? heads : heads + heads_kv;
    *ret = *qkv;
    ret->role = role;
    ret->name = role == ASSAY_Q ? "q" : role == ASSAY_K ? "k" : "v";
    ret->shape[1] = role == ASSAY_Q ? heads : heads_kv;
    ret->shape[2] = qkv->shape[1];
    ret->stride[1] = qkv->stride[2];
    ret->stride[2] = qkv->stride[1];
    if (qkv->data) ret->data = (char *)qkv->data + first * qkv->stride[2] * assay_dtype_bytes(qkv->dtype);
    return 1;
}

/* attention: the first element of a row of Q, K, V, the output, a mask or a bias. */
static inline void *assay_row(const struct assay_tensor *tensor, int64_t batch, int64_t head, int64_t row) {
    const int64_t offset = batch * tensor->stride[0] + head * tensor->stride[1] + row * tensor->stride[2];
    return (char *)tensor->data + offset * assay_dtype_bytes(tensor->dtype);
}

/* attention: a problem's tensors and sizes by name. The tensors are those that launch got, or, in supports
 * and prepare, the problem's own (&problem->tensors), which have no data. */
struct assay_attention {
    const struct assay_problem *problem;
    const struct assay_tensor *q, *k, *v;       /* null with qkv_packed: assay_qkv() makes views of qkv */
    const struct assay_tensor *qkv, *out, *lse; /* qkv and lse are null where the problem has none */
    int64_t batch, heads, heads_kv, queries, keys, dim, dim_v;
    double scale;
};

static inline struct assay_attention assay_attention_get(const struct assay_problem *problem,
                                                         const struct assay_tensors *tensors) {
    struct assay_attention a;
    a.problem = problem;
    a.q = assay_tensor_find(tensors, ASSAY_Q);
    a.k = assay_tensor_find(tensors, ASSAY_K);
    a.v = assay_tensor_find(tensors, ASSAY_V);
    a.out = assay_tensor_find(tensors, ASSAY_O);
    a.lse = assay_tensor_find(tensors, ASSAY_LSE);
    a.qkv = a.q ? NULL : assay_tensor_named(tensors, "qkv");
    a.batch = a.out->shape[0], a.heads = a.out->shape[1], a.queries = a.out->shape[2],
    a.dim_v = a.out->shape[3];
    a.heads_kv = a.qkv ? (a.qkv->shape[2] - a.heads) / 2 : a.k->shape[1];
    a.keys = a.qkv ? a.queries : a.k->shape[2];
    a.dim = a.qkv ? a.qkv->shape[3] : a.q->shape[3];
    a.scale = assay_problem_get(problem, "scale");
    return a;
}

/* attention: query i sees the keys from assay_first_key() to below assay_visible_keys(), if there are any; of
 * them, where the problem has a mask, those that it shows. Only problems with a window have a first key above
 * 0. */
static inline int64_t assay_causal_end_(const struct assay_problem *problem, int64_t query) {
    const double causal = assay_problem_get(problem, "causal");
    const int64_t keys = (int64_t)assay_problem_get(problem, "seq_k");
    if (causal == 0) return keys;
    return query + 1 + (causal == 2 ? keys - (int64_t)assay_problem_get(problem, "seq_q") : 0);
}

static inline int64_t assay_visible_keys(const struct assay_problem *problem, int64_t query) {
    const int64_t keys = (int64_t)assay_problem_get(problem, "seq_k"),
                  end = assay_causal_end_(problem, query);
    return end < 0 ? 0 : end < keys ? end : keys;
}

static inline int64_t assay_first_key(const struct assay_problem *problem, int64_t query) {
    const int64_t window = (int64_t)assay_problem_get(problem, "window");
    const int64_t first = assay_causal_end_(problem, query) - window;
    return window && first > 0 ? first : 0;
}

#ifdef __cplusplus
}
#endif
#endif
