# SPDX-License-Identifier: Apache-2.0
"""Kernels of layernorm.py that are right in ways of their own, and `wrong`."""
import torch


def plain(x, weight, bias, eps):
    f = x.float()
    m = f.mean(-1, keepdim=True)
    v = ((f - m) ** 2).mean(-1, keepdim=True)
    return ((f - m) * torch.rsqrt(v + eps) * weight.float() + bias.float()).bfloat16()


def two_roundings(x, weight, bias, eps):
    f = x.float()
    m = f.mean(-1, keepdim=True)
    v = ((f - m) ** 2).mean(-1, keepdim=True)
    return (((f - m) * torch.rsqrt(v + eps)).bfloat16().float() * weight.float() + bias.float()).bfloat16()


def reversed_sums(x, weight, bias, eps):
    f = x.float()
    g = f.flip(-1)
    m = g.mean(-1, keepdim=True)
    v = (g * g).mean(-1, keepdim=True) - m * m
    return ((f - m) * torch.rsqrt(v + eps) * weight.float() + bias.float()).bfloat16()


def split_sums(x, weight, bias, eps):
    f = x.float()
    n = f.shape[-1]
    h = max(n // 2, 1)
    m = (f[:, :h].sum(-1, keepdim=True) + f[:, h:].sum(-1, keepdim=True)) / n
    d = f - m
    v = ((d[:, :h] ** 2).sum(-1, keepdim=True) + (d[:, h:] ** 2).sum(-1, keepdim=True)) / n
    return (d * torch.rsqrt(v + eps) * weight.float() + bias.float()).bfloat16()


def fma(x, weight, bias, eps):
    f = x.float()
    m = f.mean(-1, keepdim=True)
    v = ((f - m) ** 2).mean(-1, keepdim=True)
    s = torch.rsqrt(v + eps) * weight.float()
    return torch.addcmul(bias.float() - m * s, f, s).bfloat16()


def wrong(x, weight, bias, eps):
    y = plain(x, weight, bias, eps)
    y[-1] *= 1.03
    return y
