# SPDX-License-Identifier: Apache-2.0
"""Kernels of causal_conv1d.py that are right in ways of their own, and `wrong`."""
import torch


def taps(x):
    f = torch.nn.functional.pad(x.float(), (3, 0))
    n = x.shape[2]
    return [f[:, :, i:i + n] for i in range(4)]


def end(y):
    return (y * torch.sigmoid(y)).bfloat16()


def plain(x, weight, bias):
    w = weight.float()
    return end(sum((t * w[:, i, None] for i, t in enumerate(taps(x)))) + bias.float()[:, None])


def reversed_sums(x, weight, bias):
    w = weight.float()
    t = taps(x)
    return end(bias.float()[:, None] + sum((t[i] * w[:, i, None] for i in (3, 2, 1, 0))))


def two_roundings(x, weight, bias):
    w = weight.float()
    y = sum((t * w[:, i, None] for i, t in enumerate(taps(x)))) + bias.float()[:, None]
    return end(y.bfloat16().float())


def fma(x, weight, bias):
    w = weight.float()
    y = bias.float()[:, None].expand(x.shape).clone()
    for i, t in enumerate(taps(x)):
        y = torch.addcmul(y, t, w[:, i, None])
    return end(y)


def split_sums(x, weight, bias):
    w = weight.float()
    t = taps(x)
    first = t[0] * w[:, 0, None] + t[1] * w[:, 1, None]
    second = t[2] * w[:, 2, None] + t[3] * w[:, 3, None]
    return end(first + second + bias.float()[:, None])


def wrong(x, weight, bias):
    y = plain(x, weight, bias)
    y[-1, -1] *= 1.03
    return y
