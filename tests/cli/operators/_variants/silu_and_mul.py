# SPDX-License-Identifier: Apache-2.0
"""The gate of an MLP: silu of one half times the other."""
import torch


def inputs(rows=64, half=512):
    return {'x': f'bf16[{rows}, {2 * half}]'}


def reference(x):
    a, b = x.float().chunk(2, dim=-1)
    return (torch.nn.functional.silu(a) * b).to(x.dtype)
