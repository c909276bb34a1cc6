# SPDX-License-Identifier: Apache-2.0
"""A quantiser with a scale for each row: one step of int8 may be off here and there."""
import torch


def inputs(rows=64, hidden=512):
    return {'x': f'bf16[{rows}, {hidden}]'}


outputs = {'q': 'int8[rows, hidden] steps(1)', 'scale': 'fp32[rows]'}


def reference(x):
    f = x.float()
    scale = f.abs().amax(-1) / 127
    return {'q': f / scale[:, None], 'scale': scale}
