# SPDX-License-Identifier: Apache-2.0
"""The operator norm with NumPy: right ones, and one mistake each."""
import numpy as np

kept = {}


def norm(x, weight, eps, count):
    assert not x.flags.writeable and type(eps) is float
    total = (x * x).sum(1)
    count += 1
    return x / np.sqrt(total[:, None] / x.shape[1] + np.float32(eps)) * weight, total


def named(x, weight, eps, count):
    y, total = norm(x, weight, eps, count.copy())
    return {"total": total, "y": y, "count": count + 1}


def written(x, weight, eps, count, y, total):
    y[:], total[:] = norm(x, weight, eps, count)


def viewed(x, weight, eps, count):
    return x, norm(x, weight, eps, count)[1]


def double(x, weight, eps, count):
    return [result.astype(float) for result in norm(x, weight, eps, count)]


def shape(x, weight, eps, count):
    y, total = norm(x, weight, eps, count)
    return y, total[:, None]


def number(x, weight, eps, count):
    return norm(x, weight, eps, count)[0], 1.0


def fixed(x, count):
    return np.broadcast_to(np.float32(0), x.shape), np.zeros(len(x), np.float32)


def stale(x, weight, eps, count):
    return kept.setdefault(x.shape, norm(x, weight, eps, count))


def bits(mask, b, e):
    assert (mask.dtype, b.dtype, e.dtype) == (bool, np.uint16, np.uint8)
    return np.where(mask, b, b ^ np.uint16(0x8000)), e.copy(), ~mask
