# SPDX-License-Identifier: Apache-2.0
"""Kernels of group_norm.py that are right in ways of their own, and `wrong`."""
import torch


def parts(x, weight, bias, eps, m, v):
    b, g, p, s = x.shape
    return (x - m) * torch.rsqrt(v + eps) * weight.reshape(1, g, p, 1) + bias.reshape(1, g, p, 1)


def plain(x, weight, bias, eps):
    m = x.mean((2, 3), keepdim=True)
    return parts(x, weight, bias, eps, m, ((x - m) ** 2).mean((2, 3), keepdim=True))


def one_pass(x, weight, bias, eps):
    m = x.mean((2, 3), keepdim=True)
    return parts(x, weight, bias, eps, m, (x * x).mean((2, 3), keepdim=True) - m * m)


def reversed_sums(x, weight, bias, eps):
    y = x.flip(3)
    m = y.mean((2, 3), keepdim=True)
    return parts(x, weight, bias, eps, m, ((y - m) ** 2).mean((2, 3), keepdim=True))


def split_sums(x, weight, bias, eps):
    m = x.mean(3, keepdim=True).mean(2, keepdim=True)
    return parts(x, weight, bias, eps, m, ((x - m) ** 2).mean(3, keepdim=True).mean(2, keepdim=True))


def fma(x, weight, bias, eps):
    b, g, p, s = x.shape
    m = x.mean((2, 3), keepdim=True)
    v = ((x - m) ** 2).mean((2, 3), keepdim=True)
    k = torch.rsqrt(v + eps) * weight.reshape(1, g, p, 1)
    return torch.addcmul(bias.reshape(1, g, p, 1) - m * k, x, k)


def wrong(x, weight, bias, eps):
    y = plain(x, weight, bias, eps)
    y[-1, -1] *= 1.03
    return y
