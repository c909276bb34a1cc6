# SPDX-License-Identifier: Apache-2.0
"""A residual that is added in place, then an RMS norm."""
import torch


def inputs(rows=64, hidden=512, eps=1e-06):
    return {'x': f'bf16[{rows}, {hidden}]', 'residual': f'bf16[{rows}, {hidden}]',
            'weight': f'bf16[{hidden}] normal(1, 0.1)', 'eps': eps}


def reference(x, residual, weight, eps):
    s = x.float() + residual.float()
    residual.copy_(s)
    return (s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + eps) * weight).to(x.dtype)
