# SPDX-License-Identifier: Apache-2.0
"""The arguments of a kernel written in Python: the problem, and its tensors as plain views of assay's memory.

Nothing here needs a package. For a kernel that works with PyTorch, assay_torch.py makes PyTorch tensors instead.
"""
import ctypes

import assay_abi as abi

TYPESTR = {"fp32": "<f4", "fp16": "<f2", "bf16": "<u2", "fp8_e4m3": "|u1", "fp8_e5m2": "|u1", "fp64": "<f8",
           "int8": "|i1", "int32": "<i4", "int64": "<i8", "uint8": "|u1", "int16": "<i2", "bool": "|b1", "fp4_e2m1x2": "|u1",
           "e8m0": "|u1"}
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "bool")
# Fills the memory of prepare's warm-up launch: as bytes of any floating-point type it is a small number.
WARM_BYTE = 0x3C


class TensorSpec:
    """A tensor of a problem without its data: role (its name), dtype, shape, strides in elements."""

    def __init__(self, item):
        self.role = item.name.decode()
        self.is_input, self.is_inout = item.access == abi.IN, item.access == abi.INOUT
        self.dtype, self.itemsize = abi.DTYPES[item.dtype]
        self.shape = tuple(item.shape[:item.dim_count])
        self.strides = tuple(item.stride[:item.dim_count])
        spread = sum((n - 1) * s for n, s in zip(self.shape, self.strides))
        self.nbytes = (spread + 1) * self.itemsize if 0 not in self.shape else 0


class AssayTensor:
    """A view of assay's memory: ptr, shape, strides in elements, dtype by name, nbytes from the first to the last element."""

    def __init__(self, spec, ptr, backend, owner=None):
        self.ptr, self.role, self.is_input = ptr, spec.role, spec.is_input
        self.shape, self.strides, self.dtype = spec.shape, spec.strides, spec.dtype
        self.itemsize, self.nbytes = spec.itemsize, spec.nbytes
        self._backend, self._owner = backend, owner

    def memory(self):
        """The bytes as a memoryview, read-only for an input. Only on the CPU."""
        if self._backend != "cpu":
            raise TypeError("the memory of '%s' is the device's: use __cuda_array_interface__" % self.role)
        view = memoryview((ctypes.c_ubyte * self.nbytes).from_address(self.ptr)).cast("B")
        return view.toreadonly() if self.is_input else view

    def _interface(self):
        return {"version": 3, "shape": self.shape, "typestr": TYPESTR[self.dtype], "data": (self.ptr, self.is_input),
                "strides": tuple(s * self.itemsize for s in self.strides)}

    def __getattr__(self, name):  # __array_interface__ on the CPU, __cuda_array_interface__ on a GPU
        wanted = "__array_interface__" if self.__dict__.get("_backend") == "cpu" else "__cuda_array_interface__"
        if name == wanted:
            return self._interface()
        raise AttributeError("'%s' is a tensor of assay's and has no '%s'; it is PyTorch's where the kernel's own module imports torch, or "
                             "the function has tensors = 'torch'" % (self.__dict__.get("role"), name))


class TensorList(tuple):
    """Tensors in the problem's order, also by role: inputs[0], inputs["q"], inputs.q."""

    def __new__(cls, items, roles):
        made = super().__new__(cls, items)
        made.roles = tuple(roles)
        return made

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in self.roles:
            raise KeyError("no tensor '%s'; there are %s" % (key, ", ".join(self.roles)))
        return super().__getitem__(self.roles.index(key))

    def __getattr__(self, name):
        if name != "roles" and name in self.roles:
            return self[name]
        raise AttributeError(name)

    def get(self, role, fallback=None):
        return self[role] if role in self.roles else fallback


class Problem:
    """What is to be computed. The operator's scalars are attributes: axes are int, the others float."""

    def __init__(self, described, backend, env=None):
        self.name, self.op = described.name.decode(), described.op.decode()
        self.backend = backend
        self.threads = env.thread_count if env else 0
        self.device_index = env.device_index if env else -1
        self.specs = [TensorSpec(item) for item in abi.tensors_of(described.tensors)]
        self.dtype = self.specs[0].dtype if self.specs else None
        self.dtypes = {spec.role: spec.dtype for spec in self.specs}
        self.scalars = {s.name.decode(): s.value for s in described.scalars[:described.scalar_count]}
        self.axes = {s.name.decode(): int(s.value) for s in described.axes[:described.axis_count]}
        self.scalars.update(self.axes)

    def __getattr__(self, name):
        scalars = self.__dict__.get("scalars", {})
        if name in scalars:
            return scalars[name]
        raise AttributeError("the problem has no '%s'; it has %s" % (name, ", ".join(scalars)))

    @property
    def wants_lse(self):
        return "lse" in self.dtypes


class PlainWorld:
    """Tensors without any package."""

    def __init__(self, problem):
        self.backend = problem.backend
        self.versions = []

    def wrap(self, spec, ptr):
        return AssayTensor(spec, ptr, self.backend)

    def scratch(self, spec):
        if self.backend != "cpu":
            return None  # device memory cannot be allocated without a package
        owner = (ctypes.c_ubyte * max(spec.nbytes, 1))()
        ctypes.memset(owner, 0 if spec.dtype in INTEGERS else WARM_BYTE, spec.nbytes)
        return AssayTensor(spec, ctypes.addressof(owner), self.backend, owner)

    def run(self, function, stream):
        return function(stream or None if self.backend != "cpu" else None)

    def is_new(self, item, output, role, inputs):
        raise TypeError("it returned %s; without PyTorch and NumPy a kernel writes its outputs and returns nothing"
                        % type(item).__name__)

    def park(self):
        pass

    def capture_begin(self):
        pass

    def capture_end(self):
        pass

    def finish(self):
        pass

    def close(self):
        pass
