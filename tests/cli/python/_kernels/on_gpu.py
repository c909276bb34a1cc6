# SPDX-License-Identifier: Apache-2.0
"""Kernels on the fake driver's device, by the stand-in for PyTorch (tests/cli/python/_fake)."""
import sys
import time
import types

import torch
from torch.nn.functional import scaled_dot_product_attention


def compute(inputs, out):
    """On the stream, when somebody waits for it."""
    def work():
        q = inputs.q
        given = [torch.Tensor(t.data_ptr(), t.shape, t.stride()) for t in (q, inputs.k, inputs.v)]
        made = scaled_dot_product_attention(*given, scale=1 / q.shape[-1] ** 0.5)
        torch.Tensor(out.data_ptr(), out.shape, out.stride()).copy_(made)
    torch.enqueue(work)


def writes(q, k, v, out, stream):
    assert stream is torch.cuda.current_stream()
    compute(types.SimpleNamespace(q=q, k=k, v=v), out)


def new(outputs):
    return torch.empty_strided(outputs.out.shape, torch.dense(outputs.out.shape), device="cuda")


def returns(problem, inputs, outputs, stream):
    out = new(outputs)
    compute(inputs, out)
    return out


def computes_when_collected(problem, inputs, outputs, stream):
    """Does in a sample what takes no time, and the work when its results are brought to the outputs, by the bridge's own hands."""
    bridge, out = sys.modules["__main__"], new(outputs)
    prepared = bridge.Prepared
    if not hasattr(prepared, "honest_carry"):
        prepared.honest_carry = prepared.carry

        def carry(self, sets, count, stream, is_in):
            if not is_in and late:
                time.sleep(0.002)
                for inputs_of_set, out_of_set in late.values():
                    compute(inputs_of_set, out_of_set)
                late.clear()
            self.honest_carry(sets, count, stream, is_in)
        prepared.carry = carry

    def note():
        late[out.data_ptr()] = inputs, out
    if any(p.is_capturing for p in bridge.prepared.values()):
        torch.enqueue(note)
    else:
        compute(inputs, out)
    return out


late = {}
