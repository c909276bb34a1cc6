// SPDX-License-Identifier: Apache-2.0
//
// The CUDA driver API, loaded when a GPU is needed and never linked. The declarations are ours, after the
// API's documentation (CUDA 12 and newer), because machines without a toolkit build this too. No other file
// knows the driver's symbols.
#ifndef WORKER_BACKEND_CUDA_CUDA_DRIVER_H
#define WORKER_BACKEND_CUDA_CUDA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "worker/backend/backend.h"

typedef int cuda_result; // 0: success
typedef int cuda_device_ordinal;
typedef uint64_t cuda_address;
typedef struct cuda_context_opaque *cuda_context;
typedef struct cuda_stream_opaque *cuda_stream;
typedef struct cuda_event_opaque *cuda_event;
typedef struct cuda_graph_opaque *cuda_graph;
typedef struct cuda_graph_node_opaque *cuda_graph_node;
typedef struct cuda_graph_exec_opaque *cuda_graph_exec;
typedef struct cuda_module_opaque *cuda_module;
typedef struct cuda_function_opaque *cuda_function;
typedef struct {
    unsigned char bytes[16];
} cuda_uuid;

typedef uint64_t cuda_memory_handle; // physical memory, mapped to addresses

struct cuda_memory_location {
    int type, id;
};

// CUmemAllocationProp
struct cuda_memory_properties {
    int type, handle_types;
    struct cuda_memory_location location;
    void *windows_only;
    unsigned char flags[8]; // no compression, no other use
};

// CUmemAccessDesc
struct cuda_memory_access {
    struct cuda_memory_location location;
    int flags;
};

enum {
    CUDA_OK = 0,
    CUDA_ERROR_OUT_OF_MEMORY_CODE = 2,
    CUDA_ERROR_NO_DEVICE_CODE = 100,
    CUDA_ERROR_ILLEGAL_ADDRESS_CODE = 700,
    CUDA_STREAM_NON_BLOCKING_FLAG = 1,
    CUDA_CAPTURE_MODE_THREAD_LOCAL = 1,
    CUDA_CAPTURE_STATUS_ACTIVE = 1,
    CUDA_ERROR_LOSSY_QUERY_CODE = 402, // the call cannot report edges that are not full dependencies
    CUDA_ERROR_UNKNOWN_CODE = 999,
    CUDA_EVENT_DEFAULT_FLAG = 0,
    CUDA_ATTRIBUTE_SM_COUNT = 16,
    CUDA_ATTRIBUTE_CLOCK_RATE_KHZ = 13,
    CUDA_ATTRIBUTE_COMPUTE_MODE = 20,
    CUDA_ATTRIBUTE_MEMORY_CLOCK_RATE_KHZ = 36,
    CUDA_ATTRIBUTE_L2_BYTES = 38,
    CUDA_ATTRIBUTE_THREADS_PER_SM = 39,
    CUDA_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    CUDA_ATTRIBUTE_CAPABILITY_MINOR = 76,
    CUDA_ATTRIBUTE_SHARED_BYTES_PER_SM = 81,
    CUDA_ATTRIBUTE_REGISTERS_PER_SM = 82,
    CUDA_ATTRIBUTE_SHARED_BYTES_OPTIN = 97,
    CUDA_ATTRIBUTE_VIRTUAL_MEMORY = 102,
    CUDA_ATTRIBUTE_DESCRIPTOR_HANDLES = 103,
    CUDA_ATTRIBUTE_BLOCKS_PER_SM = 106,
    CUDA_ATTRIBUTE_SHARED_BYTES_RESERVED = 111,
    CUDA_COMPUTE_MODE_PROHIBITED = 2,
    CUDA_COMPUTE_MODE_EXCLUSIVE = 3,
    CUDA_MEMORY_PINNED_TYPE = 1,
    CUDA_MEMORY_ON_DEVICE = 1,
    CUDA_MEMORY_BY_DESCRIPTOR = 1, // a handle type: POSIX file descriptor
    CUDA_MEMORY_READ_WRITE = 3,
    CUDA_GRANULARITY_LEAST = 0,
};

// X(return type is cuda_result; member, symbol of the driver, parameters). A symbol that is missing fails the
// load by name.
#define CUDA_DRIVER_FUNCTIONS(X)                                                                             \
    X(init, "cuInit", (unsigned flags))                                                                      \
    X(driver_get_version, "cuDriverGetVersion", (int *ret))                                                  \
    X(get_error_name, "cuGetErrorName", (cuda_result code, const char **ret))                                \
    X(get_error_string, "cuGetErrorString", (cuda_result code, const char **ret))                            \
    X(device_get_count, "cuDeviceGetCount", (int *ret))                                                      \
    X(device_get, "cuDeviceGet", (cuda_device_ordinal * ret, int index))                                     \
    X(device_get_name, "cuDeviceGetName", (char *ret, int capacity, cuda_device_ordinal device))             \
    X(device_get_uuid, "cuDeviceGetUuid_v2", (cuda_uuid * ret, cuda_device_ordinal device))                  \
    X(device_get_attribute, "cuDeviceGetAttribute", (int *ret, int attribute, cuda_device_ordinal device))   \
    X(device_total_mem, "cuDeviceTotalMem_v2", (size_t * ret, cuda_device_ordinal device))                   \
    X(primary_ctx_retain, "cuDevicePrimaryCtxRetain", (cuda_context * ret, cuda_device_ordinal device))      \
    X(primary_ctx_release, "cuDevicePrimaryCtxRelease_v2", (cuda_device_ordinal device))                     \
    X(ctx_set_current, "cuCtxSetCurrent", (cuda_context context))                                            \
    X(ctx_synchronize, "cuCtxSynchronize", (void))                                                           \
    X(ctx_reset_persisting_l2, "cuCtxResetPersistingL2Cache", (void))                                        \
    X(ctx_get_limit, "cuCtxGetLimit", (size_t * ret, int limit))                                             \
    X(ctx_set_limit, "cuCtxSetLimit", (int limit, size_t value))                                             \
    X(mem_alloc, "cuMemAlloc_v2", (cuda_address * ret, size_t bytes))                                        \
    X(mem_free, "cuMemFree_v2", (cuda_address address))                                                      \
    X(mem_get_info, "cuMemGetInfo_v2", (size_t * ret_free, size_t * ret_total))                              \
    X(mem_create, "cuMemCreate",                                                                             \
      (cuda_memory_handle * ret, size_t bytes, const struct cuda_memory_properties *properties,              \
       unsigned long long flags))                                                                            \
    X(mem_release, "cuMemRelease", (cuda_memory_handle handle))                                              \
    X(mem_export, "cuMemExportToShareableHandle",                                                            \
      (void *ret, cuda_memory_handle handle, int handle_type, unsigned long long flags))                     \
    X(mem_import, "cuMemImportFromShareableHandle",                                                          \
      (cuda_memory_handle * ret, void *descriptor, int handle_type))                                         \
    X(mem_reserve, "cuMemAddressReserve",                                                                    \
      (cuda_address * ret, size_t bytes, size_t alignment, cuda_address wanted, unsigned long long flags))   \
    X(mem_address_free, "cuMemAddressFree", (cuda_address address, size_t bytes))                            \
    X(mem_map, "cuMemMap",                                                                                   \
      (cuda_address address, size_t bytes, size_t offset, cuda_memory_handle handle,                         \
       unsigned long long flags))                                                                            \
    X(mem_unmap, "cuMemUnmap", (cuda_address address, size_t bytes))                                         \
    X(mem_set_access, "cuMemSetAccess",                                                                      \
      (cuda_address address, size_t bytes, const struct cuda_memory_access *access, size_t count))           \
    X(mem_get_granularity, "cuMemGetAllocationGranularity",                                                  \
      (size_t * ret, const struct cuda_memory_properties *properties, int option))                           \
    X(mem_host_alloc, "cuMemHostAlloc", (void **ret, size_t bytes, unsigned flags))                          \
    X(mem_free_host, "cuMemFreeHost", (void *data))                                                          \
    X(memcpy_htod, "cuMemcpyHtoDAsync_v2",                                                                   \
      (cuda_address to, const void *from, size_t bytes, cuda_stream stream))                                 \
    X(memcpy_dtoh, "cuMemcpyDtoHAsync_v2", (void *to, cuda_address from, size_t bytes, cuda_stream stream))  \
    X(memcpy_dtod, "cuMemcpyDtoDAsync_v2",                                                                   \
      (cuda_address to, cuda_address from, size_t bytes, cuda_stream stream))                                \
    X(memset_d8, "cuMemsetD8Async",                                                                          \
      (cuda_address to, unsigned char value, size_t bytes, cuda_stream stream))                              \
    X(stream_create, "cuStreamCreate", (cuda_stream * ret, unsigned flags))                                  \
    X(stream_destroy, "cuStreamDestroy_v2", (cuda_stream stream))                                            \
    X(stream_set_attribute, "cuStreamSetAttribute", (cuda_stream stream, int attribute, const void *value))  \
    X(stream_synchronize, "cuStreamSynchronize", (cuda_stream stream))                                       \
    X(stream_begin_capture, "cuStreamBeginCapture_v2", (cuda_stream stream, int mode))                       \
    X(stream_get_capture_info, "cuStreamGetCaptureInfo_v2",                                                  \
      (cuda_stream stream, int *ret_status, uint64_t *ret_id, cuda_graph *ret_graph,                         \
       const cuda_graph_node **ret_tips, size_t *ret_tip_count))                                             \
    X(stream_end_capture, "cuStreamEndCapture", (cuda_stream stream, cuda_graph * ret))                      \
    X(graph_instantiate, "cuGraphInstantiateWithFlags",                                                      \
      (cuda_graph_exec * ret, cuda_graph graph, unsigned long long flags))                                   \
    X(graph_launch, "cuGraphLaunch", (cuda_graph_exec graph, cuda_stream stream))                            \
    X(graph_upload, "cuGraphUpload", (cuda_graph_exec graph, cuda_stream stream))                            \
    X(graph_get_nodes, "cuGraphGetNodes",                                                                    \
      (cuda_graph graph, cuda_graph_node * ret_nodes, size_t * ret_count))                                   \
    X(graph_get_edges, "cuGraphGetEdges",                                                                    \
      (cuda_graph graph, cuda_graph_node * ret_from, cuda_graph_node * ret_to, size_t * ret_count))          \
    X(graph_destroy, "cuGraphDestroy", (cuda_graph graph))                                                   \
    X(graph_exec_destroy, "cuGraphExecDestroy", (cuda_graph_exec graph))                                     \
    X(event_create, "cuEventCreate", (cuda_event * ret, unsigned flags))                                     \
    X(event_destroy, "cuEventDestroy_v2", (cuda_event event))                                                \
    X(event_record, "cuEventRecord", (cuda_event event, cuda_stream stream))                                 \
    X(event_synchronize, "cuEventSynchronize", (cuda_event event))                                           \
    X(event_elapsed_ms, "cuEventElapsedTime", (float *ret, cuda_event start, cuda_event stop))               \
    X(module_load_data, "cuModuleLoadData", (cuda_module * ret, const void *image))                          \
    X(module_unload, "cuModuleUnload", (cuda_module module))                                                 \
    X(module_get_function, "cuModuleGetFunction",                                                            \
      (cuda_function * ret, cuda_module module, const char *name))                                           \
    X(module_get_global, "cuModuleGetGlobal_v2",                                                             \
      (cuda_address * ret, size_t * ret_bytes, cuda_module module, const char *name))                        \
    X(launch_kernel, "cuLaunchKernel",                                                                       \
      (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,          \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream stream, void **params,         \
       void **extra))

struct cuda_driver {
    void *library;
    int version; // 13000: CUDA 13.0, the newest that the driver knows
#define CUDA_DRIVER_MEMBER(name, symbol, parameters) cuda_result(*name) parameters;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_MEMBER)
#undef CUDA_DRIVER_MEMBER
};

// The driver: $ASSAY_CUDA_DRIVER (a path; tests), else libcuda.so.1 where the loader finds it. Loaded and
// initialised once per process. ERR_UNAVAILABLE: no library, a missing symbol, or an error of cuInit, each
// with what to try.
int cuda_driver_get(const struct cuda_driver **ret, struct err *err);

// Sets err to "<what>: <the driver's name and words for code>; <what to try>" and returns -ERR_UNAVAILABLE.
__attribute__((format(printf, 4, 5))) int cuda_fail(const struct cuda_driver *driver, cuda_result code,
                                                    struct err *err, const char *what, ...);
// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered".
void cuda_error_text(const struct cuda_driver *driver, cuda_result code, char *ret_text, size_t capacity);

// ---- cuda_codes.c: what error codes mean and what to try ----

struct cuda_code {
    cuda_result code;
    // How the context is broken, if it is; DEVICE_LOSS_NONE stands for DEVICE_LOSS_OTHER.
    enum device_loss loss;
    const char *remedy;  // after a call of ours: what to try; NULL: no better advice than the driver's words
    const char *meaning; // after a launch of a kernel: what the kernel did; NULL: not the kernel's fault
};

const struct cuda_code *cuda_code_find(cuda_result code); // NULL: not in the table
// The capture of a stream failed: the stream works again once the capture has ended.
bool cuda_code_is_of_capture(cuda_result code);

#endif
