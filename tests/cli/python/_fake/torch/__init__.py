# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch as peers/assay_torch.py and peers/torch_sdpa.py touch, in plain Python: on the processor, and on the fake driver's
device, whose memory is the processor's (tests/fakes).

Tensors are fp32 views of memory that arrives through DLPack, or of memory of their own. Every use is as the real one allows it.
"""
import ctypes
import math
import os
import sys
import types
import warnings

__version__ = os.environ.get("FAKE_TORCH_VERSION", "0.0+fake")
float32, float16, bfloat16, float64, int32, uint8, bool = "f32", "f16", "bf16", "f64", "i32", "u8", "bool"
float8_e4m3fn = "f8"


class device(str):
    def __new__(cls, kind, index=0):
        return super().__new__(cls, kind)

    @property
    def type(self):
        return str(self)


class Storage:
    def __init__(self, ptr):
        self._ptr = ptr

    def data_ptr(self):
        return self._ptr


class Tensor:
    def __init__(self, ptr, shape, strides, dtype=float32, owner=None, storage_ptr=None, where="cpu"):
        self._ptr, self.shape, self._strides, self.dtype = ptr, tuple(shape), tuple(strides), dtype
        self.device, self._owner = device(where), owner
        self._storage = Storage(storage_ptr or ptr)
        span = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
        self._values = (ctypes.c_float * span).from_address(ptr)

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self._ptr

    def untyped_storage(self):
        return self._storage

    def is_contiguous(self):
        return self._strides == tuple(dense(self.shape))

    def numel(self):
        return math.prod(self.shape)

    def element_size(self):
        return 4

    def _offsets(self):
        offsets = [0]
        for n, s in zip(self.shape, self._strides):
            offsets = [at + i * s for at in offsets for i in range(n)]
        return offsets

    def tolist(self):
        return [self._values[at] for at in self._offsets()]

    def _set(self, values):
        for at, value in zip(self._offsets(), values):
            self._values[at] = value

    def copy_(self, other):
        assert self.shape == other.shape and self.device == other.device
        if self.device == "cuda" and _current[-1].pointer:
            _enqueue_copy(self, other)
        else:
            self._set(other.tolist())
        return self

    def fill_(self, value):
        self._set([value] * self.numel())
        return self

    def sum(self):
        return self

    def __mul__(self, other):
        return self


def dense(shape):
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    return strides


def empty_strided(shape, strides, dtype=float32, device=None):
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    if device == "cuda":
        return Tensor(_device_memory(4 * span), shape, strides, dtype, where=device)
    owner = (ctypes.c_float * span)()
    return Tensor(ctypes.addressof(owner), shape, strides, dtype, owner)


# ---- a GPU: work is enqueued on the stream of the driver, and runs when somebody waits for it ----

_HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_enqueued = []  # a graph may run it again


_POOL_BYTES = 4 << 20  # taken at once: while launches are captured a driver gives no memory
_pool = []


def _device_memory(size):
    if not _pool:
        at = ctypes.c_uint64()
        _call("cuMemAlloc_v2", ctypes.byref(at), ctypes.c_size_t(_POOL_BYTES))
        _pool[:] = at.value, at.value + _POOL_BYTES
    _pool[0] += size
    assert _pool[0] <= _pool[1]
    return _pool[0] - size


class Stream:
    def __init__(self, pointer=None, device=None):
        self.pointer = pointer


_current = [Stream()]


class _use_stream:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        _current.append(self.stream)

    def __exit__(self, *what):
        _current.pop()


def enqueue(work):
    """At once where there is no stream: a warm-up."""
    if not _current[-1].pointer:
        return work()
    _enqueued.append(_HOST_FUNCTION(lambda _: work()))
    _call("cuLaunchHostFunc", ctypes.c_void_p(_current[-1].pointer), _enqueued[-1], None)


def _enqueue_copy(to, source):
    assert to.is_contiguous() and source.is_contiguous()
    _call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(to.data_ptr()), ctypes.c_uint64(source.data_ptr()),
          ctypes.c_size_t(to.numel() * to.element_size()), ctypes.c_void_p(_current[-1].pointer))


def _call(name, *arguments):
    code = getattr(ctypes.CDLL(os.environ["ASSAY_CUDA_DRIVER"]), name)(*arguments)
    assert code == 0, (name, code)


class _MemPool:
    pass


class _use_mem_pool:
    def __init__(self, pool):
        assert isinstance(pool, _MemPool)

    def __enter__(self):
        pass

    def __exit__(self, *what):
        pass


def ones(*shape, dtype=float32, device=None):
    return empty_strided(shape, dense(shape))


def mm(a, b):
    return a


def is_tensor(value):
    return isinstance(value, Tensor)


_threads = 1


def set_num_threads(count):
    global _threads
    assert count > 0
    _threads = count


def get_num_threads():
    return _threads


def use_deterministic_algorithms(mode, warn_only=False):
    assert mode and warn_only


class no_grad:
    def __enter__(self):
        return self

    def __exit__(self, *what):
        return False


class _DLTensor(ctypes.Structure):  # from the specification of DLPack, not from assay's declaration
    _fields_ = [("data", ctypes.c_uint64), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
                ("context", ctypes.c_uint64), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_uint64))]


def _from_dlpack(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_uint64, [ctypes.py_object, ctypes.c_char_p]
    at = get(capsule, b"dltensor")
    given = _DLTensor.from_address(at)
    assert (given.code, given.bits, given.lanes, given.byte_offset) == (2, 32, 1, 0) and given.device_type in (1, 2)
    given.deleter(at)
    return Tensor(given.data, given.shape[:given.ndim], given.strides[:given.ndim],
                  where="cpu" if given.device_type == 1 else "cuda")


def _fused_sdp_choice(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    return 1


def _module(name, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    sys.modules[name] = made
    return made


class SDPBackend(int):
    pass


SDPBackend.MATH, SDPBackend.FLASH_ATTENTION = SDPBackend(0), SDPBackend(1)
SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION = SDPBackend(2), SDPBackend(3)
_enabled = []


class sdpa_kernel:
    def __init__(self, backend):
        self.backend = backend

    def __enter__(self):
        _enabled.append(self.backend)

    def __exit__(self, *what):
        _enabled.pop()


def scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    """Flash refuses masks here, as an example of a backend that cannot do everything."""
    if _enabled == [SDPBackend.FLASH_ATTENTION] and is_causal:
        warnings.warn("Flash attention kernel not used because: (Triggered internally at x.cpp:1.)")
        warnings.warn("Causal masks (torch 0.0) are too much for this fake. Got is_causal: 1. If you would like them, ask. (Triggered internally at x.cpp:2.)")
        warnings.warn("Memory Efficient attention has been runtime disabled. (Triggered internally at x.cpp:3.)")
        raise RuntimeError("No available kernel. Aborting execution.")
    batch, heads, rows, size = q.shape
    out = empty_strided(q.shape, dense(q.shape))
    qs, ks, vs, keys = q.tolist(), k.tolist(), v.tolist(), k.shape[2]
    for i in range(batch * heads * rows):
        head, row = divmod(i, rows)
        count = min(keys, row + 1) if is_causal else keys
        scores = [scale * math.fsum(qs[i * size + d] * ks[(head * keys + j) * size + d] for d in range(size))
                  for j in range(count)]
        weights = [math.exp(s - max(scores)) for s in scores]
        for d in range(size):
            out._values[i * size + d] = math.fsum(
                w * vs[(head * keys + j) * size + d] for j, w in enumerate(weights)) / math.fsum(weights)
    return out


class _Flags:
    allow_tf32, benchmark = True, True

    @staticmethod
    def version():
        return None


cuda = _module("torch.cuda", is_available=lambda: "ASSAY_CUDA_DRIVER" in os.environ, set_device=lambda index: None,
               current_stream=lambda: _current[-1], ExternalStream=Stream, stream=_use_stream, MemPool=_MemPool,
               use_mem_pool=_use_mem_pool, synchronize=lambda: None)
backends = _module("torch.backends", cuda=types.SimpleNamespace(matmul=_Flags()), cudnn=_Flags())
utils = _module("torch.utils", deterministic=types.SimpleNamespace(fill_uninitialized_memory=True),
                dlpack=types.SimpleNamespace(from_dlpack=_from_dlpack))
nn = _module("torch.nn")
nn.functional = _module("torch.nn.functional", scaled_dot_product_attention=scaled_dot_product_attention)
nn.attention = _module("torch.nn.attention", SDPBackend=SDPBackend, sdpa_kernel=sdpa_kernel)
