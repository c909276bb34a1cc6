# SPDX-License-Identifier: Apache-2.0
"""What the bridge does with returned tensors around a capture, without a GPU: two sets, launched twice each, carried in and out."""
import ctypes
import sys

sys.path[:0] = sys.argv[1:3]  # peers/, the stand-in for PyTorch
import assay_abi as abi
import assay_bridge as bridge
import torch

SHAPE, COUNT = (1, 1, 2, 2), 4


def tensors(memories):
    items = (abi.Tensor * len(memories))()
    for item, role, memory in zip(items, (1, 4), memories):
        item.role, item.access, item.dtype, item.dim_count = role, 1 if role == 1 else 2, 1, 4
        for i, (n, s) in enumerate(zip(SHAPE, torch.dense(SHAPE))):
            item.shape[i], item.stride[i] = n, s
        item.data = ctypes.addressof(memory) if memory is not None else None
        item.name = b"q" if role == 1 else b"out"
    return abi.Tensors(ctypes.sizeof(abi.Tensors), len(memories), ctypes.sizeof(abi.Tensor), 0,
                       ctypes.addressof(items)), items


made = []


def double(problem, inputs, outputs, stream):
    out = torch.empty_strided(SHAPE, torch.dense(SHAPE))
    for i, value in enumerate(inputs.q.tolist()):
        out._values[i] = 2 * value
    made.append(out)
    return out


double.tensors = "torch"
module = type(sys)("kernels")
described, keep = tensors([None, None])
problem = abi.Problem(ctypes.sizeof(abi.Problem), 0, b"attention", b"attention/fp32/b1/h1/s2/d2", None, described)
environment = abi.Env(ctypes.sizeof(abi.Env), 1, -1, 0, 0)
text = ctypes.create_string_buffer(256)
message = ctypes.pointer(abi.Message(256, 0, ctypes.addressof(text)))
handle = ctypes.c_uint64()
bridge.sides[0] = bridge.Side(double, module, None, "cpu")
status = bridge.prepare(0, ctypes.pointer(problem), ctypes.pointer(environment), ctypes.pointer(handle), message)
print("prepare", status, text.value.decode())

floats = ctypes.c_float * COUNT
inputs = [floats(1, 2, 3, 4), floats(5, 6, 7, 8)]
outputs = [floats(), floats()]
sets, kept_alive = (abi.Tensors * 2)(), []
for k in range(2):
    sets[k], items = tensors([inputs[k], outputs[k]])
    kept_alive.append(items)


def at(k):
    return ctypes.pointer(sets[k])


def show(what):
    print(what, list(outputs[0]), list(outputs[1]))


print("plain", bridge.launch(handle.value, at(0), None, message))
show("copied at once")
print("begin", bridge.capture_begin(handle.value, None, message))
for k in (0, 1, 0, 1):
    bridge.launch(handle.value, at(k), None, message)
print("end", bridge.capture_end(handle.value, None, message))
show("nothing is copied while launches are captured")
for k in range(2):
    outputs[k][:] = [-1, -1, -1, -1]
bridge.outputs_in(handle.value, sets, 2, None, message)
print("poison lies in the last", [t.tolist() for t in made[-2:]], "not before", made[-3].tolist())
made[-2].fill_(10)  # a replay
made[-1].fill_(20)
bridge.outputs_out(handle.value, sets, 2, None, message)
show("carried out")
for k in range(2):
    outputs[k][:] = [0, 0, 0, 0]
print("single calls", bridge.call_begin(handle.value, None, message))
for k in (0, 1, 0):
    bridge.launch(handle.value, at(k), None, message)
show("nothing is copied while calls are timed")
print("end", bridge.call_end(handle.value, None, message))
show("carried at their end")
made[-1].fill_(7)
print("again", bridge.call_begin(handle.value, None, message), bridge.call_end(handle.value, None, message))
show("once only")
made[-6].fill_(11)  # the replay's, which single calls leave alone
bridge.outputs_out(handle.value, sets, 1, None, message)
show("a capture's own are still there")
outputs[0][:] = [0, 0, 0, 0]
bridge.launch(handle.value, at(0), None, message)
show("copied at once again")

one = made[-1]
double_again = bridge.prepared[handle.value]
double_again.side.function = lambda problem, inputs, outputs, stream: one
double_again.calls.clear()
bridge.capture_begin(handle.value, None, message)
bridge.launch(handle.value, at(0), None, message)
bridge.launch(handle.value, at(0), None, message)
print("one set may return one tensor", bridge.capture_end(handle.value, None, message))
for name, begin, end in (("capture", bridge.capture_begin, bridge.capture_end), ("calls", bridge.call_begin, bridge.call_end)):
    begin(handle.value, None, message)
    for k in range(2):
        bridge.launch(handle.value, at(k), None, message)
    print(name, end(handle.value, None, message), text.value.decode())
print("a message that nobody reads", bridge.capture_end(handle.value, None, None))
bridge.release(handle.value)
print("released", bridge.prepared)
