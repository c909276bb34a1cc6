# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors on assay's memory and stream, with a private memory pool while launches are captured. NumPy is not needed.

Importing this module sets PyTorch up as results report it: TF32 off, deterministic algorithms, gradients off.
"""
import ctypes
import time
import warnings

import torch

# None: this version of PyTorch has no such type.
DTYPES = {ours: getattr(torch, theirs, None) for ours, theirs in (
    ("fp32", "float32"), ("fp16", "float16"), ("bf16", "bfloat16"), ("fp64", "float64"), ("int8", "int8"), ("int32", "int32"),
    ("int64", "int64"), ("fp8_e4m3", "float8_e4m3fn"), ("fp8_e5m2", "float8_e5m2"), ("uint8", "uint8"), ("int16", "int16"),
    ("bool", "bool"), ("fp4_e2m1x2", "float4_e2m1fn_x2"), ("e8m0", "float8_e8m0fnu"))}
# DLPack's type code and bits. Bytes that are no integers are passed as uint8, then viewed as what they are.
DLPACK = {"fp32": (2, 32), "fp16": (2, 16), "bf16": (4, 16), "fp64": (2, 64), "int8": (0, 8), "int32": (0, 32),
          "int64": (0, 64), "int16": (0, 16), "uint8": (1, 8)}
BYTES = ("fp8_e4m3", "fp8_e5m2", "bool", "fp4_e2m1x2", "e8m0")
CPU, CUDA = 1, 2
STORAGE = getattr(torch.Tensor, "untyped_storage", None) or torch.Tensor.storage  # PyTorch 1
PARK_S = 0.003  # after this time idle OpenMP threads sleep (assay_bridge.py)


def lock_down():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.benchmark = False
        torch.use_deterministic_algorithms(True, warn_only=True)
    # Otherwise PyTorch fills every empty tensor, by an extra kernel inside the timed launches; before 2.2 it never does.
    if hasattr(torch.utils, "deterministic"):
        torch.utils.deterministic.fill_uninitialized_memory = False
    warnings.filterwarnings("ignore", message=".*does not have a deterministic implementation.*")


lock_down()


class _DLDevice(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice), ("ndim", ctypes.c_int32), ("dtype", _DLDataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_keep_memory = _Deleter(lambda managed: None)  # the memory is assay's
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_shared = []  # keeps alive the memory that PyTorch's tensors point into, until the process ends


def share(spec, ptr, backend, index):
    """A PyTorch tensor on memory that PyTorch does not own."""
    rank = len(spec.shape)
    shape, strides = (ctypes.c_int64 * max(rank, 1))(*spec.shape), (ctypes.c_int64 * max(rank, 1))(*spec.strides)
    code, bits = DLPACK["uint8" if spec.dtype in BYTES else spec.dtype]
    device = _DLDevice(CPU, 0) if backend == "cpu" else _DLDevice(CUDA, index)
    managed = _DLManagedTensor(_DLTensor(ptr, device, rank, _DLDataType(code, bits, 1), shape, strides, 0), None,
                               _keep_memory)
    _shared.append((managed, shape, strides))
    tensor = torch.utils.dlpack.from_dlpack(_new_capsule(ctypes.addressof(managed), b"dltensor", None))
    return tensor.view(DTYPES[spec.dtype]) if spec.dtype in BYTES else tensor


def use_threads(count, full_mask):
    """Starts PyTorch's threads now, unpinned: later they would inherit the mask of this thread, which is pinned."""
    with full_mask():
        torch.set_num_threads(count)
        square = torch.ones(512, 512)
        (torch.ones(1 << 22) * 2).sum()
        torch.mm(square, square)


def cudnn_version():
    """"9.19.0" of the cuDNN that PyTorch has loaded; None: it has none."""
    version = torch.backends.cudnn.version()
    return "%d.%d.%d" % (version // 10000, version // 100 % 100, version % 100) if version else None


_thread_count = 0


class TorchWorld:
    """The memory, stream and memory pool that one prepared kernel uses through PyTorch."""

    def __init__(self, problem, full_mask):
        global _thread_count
        self.backend, self.index = problem.backend, max(problem.device_index, 0)
        self.streams, self.pool, self.pool_use = {}, None, None
        self.versions = ["PyTorch %s" % torch.__version__]
        if self.backend == "cuda":
            if not torch.cuda.is_available():
                raise RuntimeError("PyTorch %s of this interpreter has no CUDA device; install one that has"
                                   % torch.__version__)
            torch.cuda.set_device(self.index)
            version = cudnn_version()
            if version:
                self.versions.append("cuDNN " + version)
        elif problem.threads and problem.threads != _thread_count:
            _thread_count = problem.threads
            use_threads(problem.threads, full_mask)

    def wrap(self, spec, ptr):
        return share(spec, ptr, self.backend, self.index)

    def scratch(self, spec):
        if DTYPES[spec.dtype] is None:
            raise NotImplementedError("PyTorch %s has no %s" % (torch.__version__, spec.dtype))
        device = torch.device("cuda", self.index) if self.backend == "cuda" else torch.device("cpu")
        if spec.dtype in BYTES:
            return torch.empty_strided(spec.shape, spec.strides, dtype=torch.uint8, device=device).fill_(
                0 if spec.dtype == "bool" else 0x30).view(DTYPES[spec.dtype])
        made = torch.empty_strided(spec.shape, spec.strides, dtype=DTYPES[spec.dtype], device=device)
        return made.fill_(0 if "int" in spec.dtype else 0.25)

    def _stream_of(self, pointer):
        if not pointer:
            return torch.cuda.current_stream()
        if pointer not in self.streams:
            self.streams[pointer] = torch.cuda.ExternalStream(pointer, device=self.index)
        return self.streams[pointer]

    def run(self, function, stream):
        with torch.no_grad():
            if self.backend != "cuda":
                return function(None)
            ours = self._stream_of(stream)
            with torch.cuda.stream(ours):
                return function(ours)

    def place_of(self, tensor):
        return tensor.data_ptr()

    def is_new(self, item, output, role, inputs):
        """Whether the item, which a kernel returned, is not the output itself."""
        if item is None or item is output:
            return False
        if not torch.is_tensor(item):
            raise TypeError("it returned %s where the tensor '%s' belongs" % (type(item).__name__, role))
        if type(item) is not torch.Tensor:
            raise TypeError("it returned %s as '%s', a class of its own that may compute when it is read; it must return a plain "
                            "torch.Tensor" % (type(item).__name__, role))
        if item.shape != output.shape or item.dtype != output.dtype or item.device != output.device:
            raise TypeError("it returned %s %s on %s as '%s', which is %s %s on %s"
                            % (item.dtype, tuple(item.shape), item.device, role, output.dtype, tuple(output.shape),
                               output.device))
        place = STORAGE(item).data_ptr()
        for tensor, name in zip(inputs, inputs.roles):
            if place == STORAGE(tensor).data_ptr():
                raise TypeError("it returned a view of its input '%s' as '%s'; it must return a tensor of its own, or "
                                "write the output" % (name, role))
        return item.data_ptr() != output.data_ptr() or item.stride() != output.stride()

    def copy(self, pairs):
        """Copies pairs of (to, from); on the CPU without PyTorch's threads, which would still spin when the next side is measured,
        on a GPU with as few kernels as PyTorch can: the judge's clock knows what the copies themselves take (host_exchange.c).
        """
        if self.backend == "cuda" and hasattr(torch, "_foreach_copy_"):
            torch._foreach_copy_([to for to, _ in pairs], [source for _, source in pairs])
            return
        for to, source in pairs:
            if self.backend == "cpu" and to.is_contiguous() and source.is_contiguous():
                ctypes.memmove(to.data_ptr(), source.data_ptr(), to.numel() * to.element_size())
            else:
                to.copy_(source)

    def park(self):
        """Sleeps until PyTorch's spinning threads sleep too, because another side is measured next."""
        if self.backend == "cpu" and torch.get_num_threads() > 1:
            time.sleep(PARK_S)

    def capture_begin(self):
        if self.backend != "cuda":
            return
        if self.pool is None:
            self.pool = torch.cuda.MemPool()
        use = torch.cuda.use_mem_pool(self.pool)
        use.__enter__()
        self.pool_use = use

    def capture_end(self):
        use, self.pool_use = self.pool_use, None
        if use is not None:
            use.__exit__(None, None, None)

    def finish(self):
        if self.backend == "cuda":
            torch.cuda.synchronize()

    def close(self):
        self.capture_end()
        self.streams, self.pool = {}, None
