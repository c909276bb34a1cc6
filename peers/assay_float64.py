# SPDX-License-Identifier: Apache-2.0
"""A reference in PyTorch that names float32, float16 and bfloat16, computed in float64 all the same.

Casts to other types (fp8, fp4, integers) stay, since they mean a rounding. torch.finfo is no function of PyTorch's and keeps the type
that is written. In either a cast to integers has to have a result.
"""
import torch
from torch.overrides import TorchFunctionMode

from assay_call import NO_INTEGER, Mismatch

WIDE = {torch.float32: torch.float64, torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.complex64: torch.complex128}
CASTS = ("to", "type", "type_as", "int", "long", "short", "char", "byte")
WHOLE = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)
# What draws random numbers does it in the type that is written (float32 for all that are wider here), so that a reference with a seed of
# its own draws as a kernel does.
DRAWS = ("rand", "randn", "normal", "rand_like", "randn_like", "bernoulli", "multinomial", "poisson", "normal_", "uniform_",
         "exponential_", "log_normal_", "cauchy_", "bernoulli_")
METHODS = ("float", "half", "bfloat16")
for _narrow in ("Float", "Half", "BFloat16"):  # .type("torch.FloatTensor") and .type(torch.FloatTensor)
    WIDE["torch.%sTensor" % _narrow] = "torch.DoubleTensor"
    WIDE[getattr(torch, _narrow + "Tensor")] = torch.DoubleTensor


def wide(value):
    try:
        return WIDE.get(value, value)
    except TypeError:  # a list
        return value


def has_type(value, types):
    return isinstance(value, torch.Tensor) and value.dtype in types


class WholeNumbers(TorchFunctionMode):
    """Integers are made of numbers that they hold: of NaN, or of one that is too large, every machine makes another."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        made, given = func(*args, **(kwargs or {})), args[0] if args else None
        if getattr(func, "__name__", "") in CASTS and torch.is_tensor(given) and given.is_floating_point() and made.dtype in WHOLE:
            limits, whole = torch.iinfo(made.dtype), given.double().trunc()
            if not bool(((whole >= float(limits.min)) & (whole < float(limits.max + 1))).all()):
                raise Mismatch(NO_INTEGER)
        return made


class Float64(TorchFunctionMode):
    """Every function of PyTorch that is called in it gets float64 where a narrower type is named."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        given = [*args, *kwargs.values()]
        if name in DRAWS:
            return self._drawn(func, name, args, kwargs)
        if name == "view" and any(isinstance(v, torch.dtype) for v in given):
            if has_type(given[0], (torch.float64,)):
                raise TypeError("it reinterprets the bits of a floating-point number")
            return self._widen(func(*args, **kwargs))
        is_method = name in METHODS and isinstance(args[0], torch.Tensor)
        if is_method or name in ("to", "type_as") and len(args) > 1 and has_type(args[1], WIDE):
            func, args, kwargs, is_method = torch.Tensor.double, args[:1], {}, True
        wider, named = [wide(v) for v in args], {key: wide(v) for key, v in kwargs.items()}
        returned = func(*wider, **named)
        if args and returned is args[0] and (is_method or any(a is not b for a, b in zip(given, wider + [*named.values()]))):
            return returned.clone()  # as written a cast makes a tensor of its own, which may be changed
        items = returned if isinstance(returned, (tuple, list)) else [returned]
        if not any(has_type(item, WIDE) for item in items):
            return returned
        if any(has_type(v, (torch.float64,)) for v in given) and not any(has_type(v, WIDE) for v in given):
            raise TypeError("%s computes in a narrower type than float64" % name)
        return type(returned)([self._widen(item) for item in items]) if items is returned else self._widen(returned)

    def _drawn(self, func, name, args, kwargs):
        narrow = [v.float() if has_type(v, (torch.float64,)) else v for v in args]
        if name.endswith("_"):
            func(*narrow, **kwargs)
            return args[0] if narrow[0] is args[0] else args[0].copy_(narrow[0])
        if name in ("rand", "randn", "normal") and not any(torch.is_tensor(v) for v in args):
            kwargs = {"dtype": torch.float32, **kwargs}
        return self._widen(func(*narrow, **kwargs))

    @staticmethod
    def _widen(value):
        return value.to(WIDE[value.dtype]) if has_type(value, WIDE) else value
