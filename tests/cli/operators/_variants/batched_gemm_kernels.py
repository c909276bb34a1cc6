# SPDX-License-Identifier: Apache-2.0
"""Kernels of batched_gemm.py that are right in ways of their own, and `wrong`."""
import torch


def plain(a, b):
    return torch.bmm(a.float(), b.float()).bfloat16()


def reversed_sums(a, b):
    return torch.bmm(a.float().flip(2), b.float().flip(1)).bfloat16()


def split_sums(a, b):
    h = max(a.shape[2] // 2, 1)
    f, g = (a.float(), b.float())
    return (torch.bmm(f[:, :, :h], g[:, :h]) + torch.bmm(f[:, :, h:], g[:, h:])).bfloat16()


def outer(a, b):
    f, g = (a.float(), b.float())
    y = torch.zeros(a.shape[0], a.shape[1], b.shape[2])
    for i in range(a.shape[2]):
        y = torch.addcmul(y, f[:, :, i:i + 1], g[:, i:i + 1])
    return y.bfloat16()


def einsum(a, b):
    return torch.einsum('bmk,bkn->bmn', a.float(), b.float()).bfloat16()


def wrong(a, b):
    y = plain(a, b)
    y[-1, -1] *= 1.03
    return y
