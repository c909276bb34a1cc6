# SPDX-License-Identifier: Apache-2.0
"""Matrix products in bf16."""
import torch


def inputs(batch=4, m=48, n=80, k=96):
    return {'a': f'bf16[{batch}, {m}, {k}]', 'b': f'bf16[{batch}, {k}, {n}]'}


def reference(a, b):
    return torch.bmm(a.float(), b.float()).to(a.dtype)
