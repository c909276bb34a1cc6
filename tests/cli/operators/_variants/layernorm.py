# SPDX-License-Identifier: Apache-2.0
"""A layer norm in bf16."""
import torch


def inputs(rows=64, hidden=512, eps=1e-05):
    return {'x': f'bf16[{rows}, {hidden}]', 'weight': f'bf16[{hidden}] normal(1, 0.1)',
            'bias': f'bf16[{hidden}]', 'eps': eps}


def reference(x, weight, bias, eps):
    y = torch.nn.functional.layer_norm(x.float(), (x.shape[-1],), weight.float(), bias.float(), eps)
    return y.to(x.dtype)
