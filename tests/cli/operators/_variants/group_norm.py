# SPDX-License-Identifier: Apache-2.0
"""A group norm in fp32."""
import torch


def inputs(batch=2, groups=8, per_group=4, size=64, eps=1e-05):
    c = groups * per_group
    return {'x': f'fp32[{batch}, {groups}, {per_group}, {size}]',
            'weight': f'fp32[{c}] normal(1, 0.1)', 'bias': f'fp32[{c}]', 'eps': eps}


def reference(x, weight, bias, eps):
    b, g, p, s = x.shape
    return torch.nn.functional.group_norm(x.reshape(b, g * p, s), g, weight, bias, eps).reshape(x.shape)
