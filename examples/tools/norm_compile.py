# SPDX-License-Identifier: Apache-2.0
"""RMSNorm by torch.compile (PyTorch 2)."""
import torch


@torch.compile(dynamic=False)
def rmsnorm(x, weight, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight
