# SPDX-License-Identifier: Apache-2.0
"""Kernels of add_rmsnorm.py that are right in ways of their own, and `wrong`."""
import torch


def norm(x, square_mean, weight, eps):
    return x * torch.rsqrt(square_mean + eps) * weight.float()


def added(x, residual):
    s = x.float() + residual.float()
    residual.copy_(s)
    return s


def plain(x, residual, weight, eps):
    s = added(x, residual)
    return norm(s, s.pow(2).mean(-1, keepdim=True), weight, eps).bfloat16()


def two_roundings(x, residual, weight, eps):
    s = added(x, residual)
    rounded = (s * torch.rsqrt(s.pow(2).mean(-1, keepdim=True) + eps)).bfloat16()
    return (rounded.float() * weight.float()).bfloat16()


def reversed_sums(x, residual, weight, eps):
    s = added(x, residual)
    return norm(s, s.flip(-1).pow(2).mean(-1, keepdim=True), weight, eps).bfloat16()


def split_sums(x, residual, weight, eps):
    s = added(x, residual)
    n = s.shape[-1]
    h = max(n // 2, 1)
    q = s * s
    halves = q[:, :h].sum(-1, keepdim=True) + q[:, h:].sum(-1, keepdim=True)
    return norm(s, halves / n, weight, eps).bfloat16()


def returned(x, residual, weight, eps):
    s = x.float() + residual.float()
    y = norm(s, s.pow(2).mean(-1, keepdim=True), weight, eps)
    return {'residual': s.bfloat16(), 'out0': y.bfloat16()}


def wrong(x, residual, weight, eps):
    y = plain(x, residual, weight, eps)
    y[-1] *= 1.03
    return y
