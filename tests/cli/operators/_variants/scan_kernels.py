# SPDX-License-Identifier: Apache-2.0
"""Kernels of scan.py that are right in ways of their own, and `wrong`."""
import torch


def plain(x):
    return torch.cumsum(x, -1)


def blocks(x):
    r, n = x.shape
    b = 64
    pad = -n % b
    y = torch.nn.functional.pad(x, (0, pad)).reshape(r, -1, b)
    c = y.cumsum(-1)
    return (c + (c[:, :, -1].cumsum(-1) - c[:, :, -1])[:, :, None]).reshape(r, -1)[:, :n].contiguous()


def hillis_steele(x):
    y = x.clone()
    d = 1
    while d < x.shape[-1]:
        z = y.clone()
        z[:, d:] = y[:, d:] + y[:, :-d]
        y = z
        d *= 2
    return y


def halves(x):
    h = max(x.shape[-1] // 2, 1)
    a, b = (x[:, :h].cumsum(-1), x[:, h:].cumsum(-1))
    return torch.cat([a, b + a[:, -1:]], -1)


def from_total(x):
    t = x.double()
    return torch.cumsum(t, -1).float()


def wrong(x):
    y = plain(x)
    y[-1] *= 1.03
    return y
