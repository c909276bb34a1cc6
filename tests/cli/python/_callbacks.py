# SPDX-License-Identifier: Apache-2.0
"""The bridge's functions as C calls them, each with something that makes it raise: none may answer 0, which is ASSAY_OK."""
import ctypes
import sys

sys.path[:0] = sys.argv[1:2]  # peers/
import assay_abi as abi
import assay_bridge as bridge

text = ctypes.create_string_buffer(256)
message = ctypes.pointer(abi.Message(256, 0, ctypes.addressof(text)))
handle = ctypes.c_uint64()
nothing = ctypes.POINTER(abi.Problem)(), ctypes.POINTER(abi.Env)()
calls = {
    "load": (abi.LoadFn(bridge.load), (0, b"\xff:f", None, b"cpu", b"", message)),
    "supports": (abi.SupportsFn(bridge.supports), (7, nothing[0], message)),
    "prepare": (abi.PrepareFn(bridge.prepare), (7, *nothing, ctypes.pointer(handle), message)),
    "launch": (abi.LaunchFn(bridge.launch), (99, None, None, message)),
    "capture_begin": (abi.CaptureFn(bridge.capture_begin), (99, None, message)),
    "capture_end": (abi.CaptureFn(bridge.capture_end), (99, None, message)),
    "outputs_in": (abi.OutputsFn(bridge.outputs_in), (99, None, 1, None, message)),
    "outputs_out": (abi.OutputsFn(bridge.outputs_out), (99, None, 1, None, message)),
}
for name, (function, arguments) in calls.items():
    text.value = b""
    print(name, function(*arguments), text.value.decode().split(" (")[0])
print("nobody listens", calls["launch"][0](99, None, None, None))


class Mute(Exception):
    def __str__(self):
        raise KeyboardInterrupt


def unwilling(problem):
    raise NotImplementedError(Mute())


def kernel(problem, inputs, outputs, stream):
    pass


kernel.supports = unwilling
bridge.sides[0] = bridge.Side(kernel, bridge, None, "cpu")
problem = abi.Problem(ctypes.sizeof(abi.Problem), 0, b"attention", b"p", None, abi.Tensors())
print("refused", calls["supports"][0](0, ctypes.pointer(problem), message), text.value.decode())
bridge.traceback = None  # what goes wrong while an error is described
print("undescribed", calls["launch"][0](99, None, None, message))
