/* SPDX-License-Identifier: Apache-2.0
 *
 * cuDNN's backend API, loaded at run time on first use and never linked. The declarations are ours, after
 * cuDNN's documentation (version 9); the enumerators have cuDNN's numeric values. */
#ifndef CUDNN_CUDNN_API_H
#define CUDNN_CUDNN_API_H

#include <assay/kernel.h>
#include <stddef.h>
#include <stdint.h>

enum cudnn_descriptor_type {
    CUDNN_POINTWISE = 0,
    CUDNN_ENGINE_HEURISTICS = 4,
    CUDNN_EXECUTION_PLAN = 5,
    CUDNN_OPERATION_POINTWISE = 13,
    CUDNN_OPERATION_GRAPH = 15,
    CUDNN_VARIANT_PACK = 16,
    CUDNN_TENSOR = 17,
    CUDNN_MATMUL = 18,
    CUDNN_OPERATION_MATMUL = 19,
    CUDNN_REDUCTION = 21,
    CUDNN_OPERATION_REDUCTION = 22,
    CUDNN_ENGINE = 2,
    CUDNN_ENGINE_CONFIG = 3,
    CUDNN_OPERATION_SDPA_FORWARD = 41,
};

enum cudnn_attribute {
    CUDNN_POINTWISE_MODE = 0,
    CUDNN_POINTWISE_PRECISION = 1,
    CUDNN_POINTWISE_AXIS = 9,
    CUDNN_HEURISTICS_MODE = 200,
    CUDNN_HEURISTICS_GRAPH = 201,
    CUDNN_HEURISTICS_RESULTS = 202,
    CUDNN_CONFIG_ENGINE = 300,
    CUDNN_PLAN_HANDLE = 400,
    CUDNN_PLAN_CONFIG = 401,
    CUDNN_PLAN_WORKSPACE_BYTES = 402,
    CUDNN_OP_POINTWISE_DESCRIPTOR = 750,
    CUDNN_OP_POINTWISE_X = 751,
    CUDNN_OP_POINTWISE_B = 752,
    CUDNN_OP_POINTWISE_Y = 753,
    CUDNN_OP_POINTWISE_T = 758,
    CUDNN_GRAPH_HANDLE = 800,
    CUDNN_GRAPH_OPERATIONS = 801,
    CUDNN_TENSOR_ALIGNMENT = 900,
    CUDNN_TENSOR_TYPE = 901,
    CUDNN_TENSOR_DIMENSIONS = 902,
    CUDNN_TENSOR_STRIDES = 903,
    CUDNN_TENSOR_ID = 906,
    CUDNN_TENSOR_IS_VIRTUAL = 907,
    CUDNN_TENSOR_IS_BY_VALUE = 908,
    CUDNN_PACK_IDS = 1000,
    CUDNN_PACK_POINTERS = 1001,
    CUDNN_PACK_WORKSPACE = 1003,
    CUDNN_ENGINE_INDEX = 1301,
    CUDNN_MATMUL_PRECISION = 1500,
    CUDNN_OP_MATMUL_A = 1520,
    CUDNN_OP_MATMUL_B = 1521,
    CUDNN_OP_MATMUL_C = 1522,
    CUDNN_OP_MATMUL_DESCRIPTOR = 1523,
    CUDNN_REDUCTION_OPERATOR = 1600,
    CUDNN_REDUCTION_PRECISION = 1601,
    CUDNN_OP_REDUCTION_X = 1610,
    CUDNN_OP_REDUCTION_Y = 1611,
    CUDNN_OP_REDUCTION_DESCRIPTOR = 1612,
    CUDNN_OP_SDPA_Q = 2800,
    CUDNN_OP_SDPA_K = 2801,
    CUDNN_OP_SDPA_V = 2802,
    CUDNN_OP_SDPA_O = 2803,
    CUDNN_OP_SDPA_STATS = 2804,
    CUDNN_OP_SDPA_SCALE = 2805,
};

enum cudnn_value_type {
    CUDNN_OF_HANDLE = 0,
    CUDNN_OF_DATA_TYPE = 1,
    CUDNN_OF_BOOLEAN = 2,
    CUDNN_OF_INT64 = 3,
    CUDNN_OF_POINTER = 6,
    CUDNN_OF_HEURISTICS_MODE = 8,
    CUDNN_OF_POINTWISE_MODE = 14,
    CUDNN_OF_DESCRIPTOR = 15,
    CUDNN_OF_REDUCTION_OPERATOR = 18,
};

enum cudnn_data_type {
    CUDNN_FLOAT = 0,
    CUDNN_HALF = 2,
    CUDNN_INT32 = 4,
    CUDNN_BFLOAT16 = 9,
    CUDNN_BOOLEAN = 11,
};

enum cudnn_pointwise_mode {
    CUDNN_ADD = 0,
    CUDNN_MUL = 1,
    CUDNN_DIV = 6,
    CUDNN_SUB = 9,
    CUDNN_EXP = 13,
    CUDNN_LOG = 15,
    CUDNN_COMPARE_GE = 303,
    CUDNN_GENERATE_INDEX = 501,
    CUDNN_SELECT = 601,
};

enum cudnn_reduction_operator { CUDNN_REDUCE_ADD = 0, CUDNN_REDUCE_MAX = 3 };
enum cudnn_heuristics_mode { CUDNN_HEURISTICS_B = 1, CUDNN_HEURISTICS_FALLBACK = 2, CUDNN_HEURISTICS_A = 3 };

typedef int cudnn_status; /* 0: success */
typedef void *cudnn_descriptor;
typedef void *cudnn_handle;

struct cudnn_api {
    size_t (*get_version)(void); /* 91900: 9.19.0 */
    const char *(*get_error_string)(cudnn_status status);
    void (*get_last_error)(char *message, size_t capacity); /* null in old versions */
    cudnn_status (*create)(cudnn_handle *ret);
    cudnn_status (*set_stream)(cudnn_handle handle, void *stream);
    cudnn_status (*descriptor_create)(int type, cudnn_descriptor *ret);
    cudnn_status (*descriptor_destroy)(cudnn_descriptor descriptor);
    cudnn_status (*finalize)(cudnn_descriptor descriptor);
    cudnn_status (*set_attribute)(cudnn_descriptor descriptor, int attribute, int type, int64_t count,
                                  const void *values);
    cudnn_status (*get_attribute)(cudnn_descriptor descriptor, int attribute, int type, int64_t capacity,
                                  int64_t *ret_count, void *ret_values);
    cudnn_status (*execute)(cudnn_handle handle, cudnn_descriptor plan, cudnn_descriptor pack);
    cudnn_handle handle; /* created on first use; lives until the process ends */
};

/* Loads $ASSAY_CUDNN (a path), else the libcudnn.so.9 that the process has already loaded (PyTorch's),
 * else the loader's. Null with a sentence: not there, a symbol missing, older than version 9, or no
 * handle for this device. */
const struct cudnn_api *cudnn_api_get(struct assay_message *message);

/* Whether such a library is there; needs no device, so that it can be checked before anything is
 * measured. ASSAY_OK with its version, else ASSAY_UNSUPPORTED with the sentence. */
int cudnn_find_library(struct assay_message *message);

/* "9.19.0". */
void cudnn_version_format(const struct cudnn_api *api, char *ret_text, size_t capacity);

#endif
