# SPDX-License-Identifier: Apache-2.0
"""The operator norm with PyTorch: as its users write it, and into memory that is given."""
import torch


def norm(x, weight, eps, count):
    total = x.pow(2).sum(1)
    count += 1
    return x * torch.rsqrt(total[:, None] / x.shape[1] + eps) * weight, total


def written(x, weight, eps, count, *, y, total):
    total.copy_(x.pow(2).sum(1))
    torch.mul(x * torch.rsqrt(total[:, None] / x.shape[1] + eps), weight, out=y)
    count.add_(1)


def viewed(x, weight, eps, count):
    return x, norm(x, weight, eps, count)[1]


@torch.jit.script
def scripted(x, weight, y, total, count):
    total.copy_(x.pow(2).sum(1))
    y.copy_(x * torch.rsqrt(total.unsqueeze(1) / x.shape[1] + 1e-5) * weight)
    count.add_(1)
