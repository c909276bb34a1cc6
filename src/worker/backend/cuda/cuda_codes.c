// SPDX-License-Identifier: Apache-2.0
//
// The driver's error codes: what each means and what to try. The names are the driver's.
#include "worker/backend/cuda/cuda_driver.h"

enum {
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    DEINITIALIZED = 4,
    STUB_LIBRARY = 34,
    CALL_REQUIRES_NEWER_DRIVER = 36,
    DEVICE_UNAVAILABLE = 46,
    INVALID_DEVICE = 101,
    NO_BINARY_FOR_GPU = 209,
    ECC_UNCORRECTABLE = 214,
    INVALID_PTX = 218,
    NVLINK_UNCORRECTABLE = 220,
    JIT_COMPILER_NOT_FOUND = 221,
    UNSUPPORTED_PTX_VERSION = 222,
    CONTAINED = 226,
    OPERATING_SYSTEM = 304,
    INVALID_HANDLE = 400,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_TIMEOUT = 702,
    ASSERT = 710,
    HARDWARE_STACK_ERROR = 714,
    ILLEGAL_INSTRUCTION = 715,
    MISALIGNED_ADDRESS = 716,
    INVALID_ADDRESS_SPACE = 717,
    INVALID_PC = 718,
    LAUNCH_FAILED = 719,
    COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    NOT_PERMITTED = 800,
    SYSTEM_NOT_READY = 802,
    SYSTEM_DRIVER_MISMATCH = 803,
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804,
    MPS_CONNECTION_FAILED = 805,
    MPS_CLIENT_TERMINATED = 810,
    STREAM_CAPTURE_FIRST = 900, // STREAM_CAPTURE_UNSUPPORTED
    STREAM_CAPTURE_LAST = 908,  // STREAM_CAPTURE_WRONG_THREAD
    UNKNOWN = 999,
};

static const char shut_down[] = "the driver has shut down in this process; start again";

static const struct cuda_code codes[] = {
    {.code = INVALID_VALUE,
     .meaning = "grid, block or shared memory are beyond what the device allows (more than 48 KiB of shared "
                "memory has to be asked for in prepare)"},
    {.code = CUDA_ERROR_OUT_OF_MEMORY_CODE,
     .remedy = "free memory of the device (nvidia-smi lists who holds it), or choose smaller problems"},
    {.code = NOT_INITIALIZED, .remedy = shut_down},
    {.code = DEINITIALIZED, .remedy = shut_down},
    {.code = STUB_LIBRARY,
     .remedy = "the library is the toolkit's stub, not a driver: take its folder out of LD_LIBRARY_PATH"},
    {.code = CALL_REQUIRES_NEWER_DRIVER, .remedy = "install a newer driver"},
    {.code = DEVICE_UNAVAILABLE,
     .remedy = "another process holds the device exclusively, or it has fallen off the bus: look at "
               "nvidia-smi"},
    {.code = CUDA_ERROR_NO_DEVICE_CODE,
     .remedy = "no GPU is visible: look at nvidia-smi, CUDA_VISIBLE_DEVICES, and whether the container was "
               "given one"},
    {.code = INVALID_DEVICE,
     .remedy = "'assay devices' lists what there is; CUDA_VISIBLE_DEVICES may hide some"},
    {.code = NO_BINARY_FOR_GPU,
     .remedy = "it was built for other architectures than this device: build it with --arch for this one",
     .meaning = "built for other architectures than this device; see --arch"},
    {.code = ECC_UNCORRECTABLE,
     .remedy = "the device's memory has an uncorrectable error: reset it (nvidia-smi -r) and look at its ECC "
               "counts"},
    {.code = INVALID_PTX, .remedy = "the driver does not accept this program text: install a newer driver"},
    {.code = NVLINK_UNCORRECTABLE,
     .remedy = "a link between devices has failed: look at nvidia-smi nvlink -e, and reset the devices"},
    {.code = JIT_COMPILER_NOT_FOUND,
     .remedy = "the driver's compiler (libnvidia-ptxjitcompiler) is missing: install the whole driver"},
    {.code = UNSUPPORTED_PTX_VERSION,
     .remedy = "the toolkit is newer than the driver: install a newer driver, or build with an older toolkit",
     .meaning = "its PTX is newer than the driver; build it for this device's architecture"},
    {.code = CONTAINED,
     .remedy = "the device has contained a memory error: reset it (nvidia-smi -r) and look at its ECC "
               "counts"},
    {.code = OPERATING_SYSTEM,
     .remedy = "the operating system refused: are /dev/nvidia* there and readable by this user?"},
    {.code = INVALID_HANDLE, .meaning = "a stream, module or function of it does not belong to this context"},
    {.code = CUDA_ERROR_ILLEGAL_ADDRESS_CODE,
     .loss = DEVICE_LOSS_ADDRESS,
     .meaning = "the kernel touched an address outside of all memory of the device"},
    {.code = LAUNCH_OUT_OF_RESOURCES,
     .meaning = "a block needs more registers, threads or shared memory than there are"},
    {.code = LAUNCH_TIMEOUT, .meaning = "the kernel ran longer than the system lets kernels run"},
    {.code = ASSERT, .meaning = "an assertion in the kernel failed"},
    {.code = HARDWARE_STACK_ERROR, .meaning = "the kernel overran its stack, or its call stack is damaged"},
    {.code = ILLEGAL_INSTRUCTION,
     .meaning = "the kernel met an instruction that this device does not have, or a trap"},
    {.code = MISALIGNED_ADDRESS,
     .loss = DEVICE_LOSS_ADDRESS,
     .meaning = "the kernel used an address that is no multiple of the access's size"},
    {.code = INVALID_ADDRESS_SPACE,
     .loss = DEVICE_LOSS_ADDRESS,
     .meaning = "the kernel used an address of another space (shared, local, global) than its instruction is "
                "for"},
    {.code = INVALID_PC, .meaning = "the kernel's program counter left the program"},
    {.code = LAUNCH_FAILED,
     .meaning = "the kernel trapped, or used shared memory outside of what it has; compute-sanitizer shows "
                "where"},
    {.code = COOPERATIVE_LAUNCH_TOO_LARGE,
     .meaning = "a cooperative launch has more blocks than fit on the device at once"},
    {.code = NOT_PERMITTED,
     .remedy = "this process may not use the device: look at permissions of /dev/nvidia* and at the "
               "container's"},
    {.code = SYSTEM_NOT_READY,
     .remedy = "the driver is still starting, or the fabric manager is not running: look at its service"},
    {.code = SYSTEM_DRIVER_MISMATCH,
     .remedy = "kernel module and library are of different driver versions: reboot, or reinstall the driver"},
    {.code = COMPAT_NOT_SUPPORTED_ON_DEVICE,
     .remedy = "the compatibility libraries do not know this device: install a newer driver itself"},
    {.code = MPS_CONNECTION_FAILED,
     .remedy = "the MPS server cannot be reached: start it, or unset CUDA_MPS_PIPE_DIRECTORY"},
    {.code = MPS_CLIENT_TERMINATED,
     .remedy = "the MPS server ended this client after an error of another one: start again"},
    {.code = UNKNOWN,
     .remedy = "the device may have fallen off the bus: look at nvidia-smi and the kernel's log (Xid), then "
               "reset it"},
};

const struct cuda_code *cuda_code_find(cuda_result code) {
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i].code == code) return &codes[i];
    return NULL;
}

bool cuda_code_is_of_capture(cuda_result code) {
    return code >= STREAM_CAPTURE_FIRST && code <= STREAM_CAPTURE_LAST;
}
