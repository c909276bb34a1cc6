# SPDX-License-Identifier: Apache-2.0
"""Sums of all elements before, in fp32."""
import torch


def inputs(rows=16, length=2048):
    return {'x': f'fp32[{rows}, {length}]'}


def reference(x):
    return torch.cumsum(x, -1)
