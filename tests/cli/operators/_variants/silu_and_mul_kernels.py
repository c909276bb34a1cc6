# SPDX-License-Identifier: Apache-2.0
"""Kernels of silu_and_mul.py that are right in ways of their own, and `wrong`."""
import torch


def plain(x):
    a, b = x.float().chunk(2, dim=-1)
    return (a / (1 + torch.exp(-a)) * b).bfloat16()


def two_roundings(x):
    a, b = x.float().chunk(2, dim=-1)
    return ((a / (1 + torch.exp(-a))).bfloat16().float() * b).bfloat16()


def sigmoid(x):
    a, b = x.float().chunk(2, dim=-1)
    return (a * torch.sigmoid(a) * b).bfloat16()


def tanh(x):
    a, b = x.float().chunk(2, dim=-1)
    return (a * (0.5 + 0.5 * torch.tanh(0.5 * a)) * b).bfloat16()


def exp2(x):
    a, b = x.float().chunk(2, dim=-1)
    return (a * b / (1 + torch.exp2(-1.4426950408889634 * a))).bfloat16()


def wrong(x):
    y = plain(x)
    y[-1] *= 1.03
    return y
