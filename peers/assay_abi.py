# SPDX-License-Identifier: Apache-2.0
"""The structs of include/assay/kernel.h and src/worker/module/python_kernel.h as ctypes sees them.

Holds only the structs that a kernel written in Python needs. layout() describes all of them; when the library is entered it
compares that description with its own structs (src/worker/module/python_layout.c) and refuses to run if they differ.
"""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_uint32, c_uint64, c_void_p

OK, UNSUPPORTED, FAILED = 0, 1, 3
LOAD_UNKNOWN, LOAD_INCOMPLETE, LOAD_RAISED = 101, 102, 103
MAX_DIMS = 8
IN, INOUT = 1, 3

# enum assay_dtype: name, bytes an element
DTYPES = {1: ("fp32", 4), 2: ("fp16", 2), 3: ("bf16", 2), 4: ("fp8_e4m3", 1), 5: ("fp64", 8), 6: ("int32", 4),
          7: ("fp8_e5m2", 1), 8: ("int8", 1), 9: ("int64", 8), 10: ("uint8", 1), 11: ("int16", 2), 12: ("bool", 1),
          13: ("fp4_e2m1x2", 1), 14: ("e8m0", 1)}


class Tensor(Structure):
    _fields_ = [("role", c_int32), ("access", c_int32), ("dtype", c_int32), ("dim_count", c_int32),
                ("shape", c_int64 * MAX_DIMS), ("stride", c_int64 * MAX_DIMS), ("data", c_void_p),
                ("name", c_char_p), ("flags", c_uint32), ("reserved", c_uint32)]


class Tensors(Structure):
    _fields_ = [("struct_size", c_uint32), ("tensor_count", c_uint32), ("tensor_bytes", c_uint32),
                ("reserved", c_uint32), ("items", c_void_p)]


class Scalar(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class Problem(Structure):
    _fields_ = [("struct_size", c_uint32), ("scalar_count", c_uint32), ("op", c_char_p), ("name", c_char_p),
                ("scalars", POINTER(Scalar)), ("tensors", Tensors), ("axes", POINTER(Scalar)), ("axis_count", c_uint32),
                ("reserved", c_uint32), ("features", c_char_p)]


class Message(Structure):
    _fields_ = [("capacity", c_uint32), ("length", c_uint32), ("text", c_void_p)]


class Env(Structure):
    _fields_ = [("struct_size", c_uint32), ("thread_count", c_uint32), ("device_index", c_int32),
                ("reserved", c_uint32), ("cache_bytes", c_uint64)]


MessagePointer, TensorsPointer = POINTER(Message), POINTER(Tensors)
LoadFn = CFUNCTYPE(c_int, c_uint32, c_char_p, c_char_p, c_char_p, c_char_p, MessagePointer)
SupportsFn = CFUNCTYPE(c_int, c_uint32, POINTER(Problem), MessagePointer)
PrepareFn = CFUNCTYPE(c_int, c_uint32, POINTER(Problem), POINTER(Env), POINTER(c_uint64), MessagePointer)
LaunchFn = CFUNCTYPE(c_int, c_uint64, TensorsPointer, c_void_p, MessagePointer)
ReleaseFn = CFUNCTYPE(None, c_uint64)
CaptureFn = CFUNCTYPE(c_int, c_uint64, c_void_p, MessagePointer)
FindFn = CFUNCTYPE(c_int, c_char_p, MessagePointer)
OutputsFn = CFUNCTYPE(c_int, c_uint64, TensorsPointer, c_uint32, c_void_p, MessagePointer)


class Callbacks(Structure):
    _fields_ = [("struct_size", c_uint32), ("reserved", c_uint32), ("layout", c_char_p),
                ("load", LoadFn), ("supports", SupportsFn), ("prepare", PrepareFn), ("launch", LaunchFn),
                ("release", ReleaseFn), ("capture_begin", CaptureFn), ("capture_end", CaptureFn),
                ("outputs_in", OutputsFn), ("outputs_out", OutputsFn),
                ("call_begin", CaptureFn), ("call_end", CaptureFn), ("find", FindFn)]


def layout():
    """The layout of the structs and the values of this file as text: one line a struct, "name offset bytes" a member."""
    structs = (("assay_tensor", Tensor), ("assay_tensors", Tensors), ("assay_scalar", Scalar), ("assay_problem", Problem),
               ("assay_message", Message), ("assay_env", Env), ("python_callbacks", Callbacks))
    lines = [["%s %d" % (name, ctypes.sizeof(made))]
             + ["%s %d %d" % (member, getattr(made, member).offset, getattr(made, member).size)
                for member, _ in made._fields_] for name, made in structs]
    lines.append(["types"] + ["%d %s %d" % (number, *DTYPES[number]) for number in sorted(DTYPES)])
    names = ("OK", "UNSUPPORTED", "FAILED", "LOAD_UNKNOWN", "LOAD_INCOMPLETE", "LOAD_RAISED", "MAX_DIMS", "IN", "INOUT")
    lines.append(["values"] + ["%s %d" % (name, globals()[name]) for name in names])
    return "".join(", ".join(line) + "\n" for line in lines)


def texts(items):
    """Bytes as a NULL-terminated list."""
    return (c_char_p * (len(items) + 1))(*items, None)


def say(message, text):
    """Leaves a sentence for the user, cut at the message's capacity and never inside a character."""
    if not message:
        return  # the caller wants no message
    room = message.contents
    if not room.text or not room.capacity:
        return
    cut = str.encode(text, "utf-8", "replace")[:room.capacity - 1].decode("utf-8", "ignore").encode() + b"\0"
    ctypes.memmove(room.text, cut, len(cut))
    room.length = len(cut) - 1


def tensors_of(tensors):
    """The items of a struct assay_tensors."""
    return [Tensor.from_address(tensors.items + i * tensors.tensor_bytes) for i in range(tensors.tensor_count)]


def key_of(tensors):
    """Addresses, shapes and strides in one hashable value."""
    return ctypes.string_at(tensors.items, tensors.tensor_count * tensors.tensor_bytes)
