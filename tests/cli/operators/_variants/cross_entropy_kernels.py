# SPDX-License-Identifier: Apache-2.0
"""Kernels of cross_entropy.py that are right in ways of their own, and `wrong`."""
import torch


def plain(logits, labels):
    f = logits.float()
    m = f.max(-1, keepdim=True).values
    return (f - m).exp().sum(-1).log() + m[:, 0] - f.gather(1, labels[:, None])[:, 0]


def log_softmax(logits, labels):
    return -torch.log_softmax(logits.float(), -1).gather(1, labels[:, None])[:, 0]


def exp2(logits, labels):
    f = logits.float()
    m = f.max(-1, keepdim=True).values
    return torch.exp2((f - m) * 1.4426950408889634).sum(-1).log() + (m - f.gather(1, labels[:, None]))[:, 0]


def split_sums(logits, labels):
    f = logits.float()
    h = max(f.shape[-1] // 2, 1)
    m = f.max(-1, keepdim=True).values
    e = (f - m).exp()
    return (e[:, :h].sum(-1) + e[:, h:].sum(-1)).log() + (m - f.gather(1, labels[:, None]))[:, 0]


def logsumexp(logits, labels):
    f = logits.float()
    return torch.logsumexp(f.flip(-1), -1) - f.gather(1, labels[:, None])[:, 0]


def wrong(logits, labels):
    y = plain(logits, labels)
    y[-1] *= 1.03
    return y
