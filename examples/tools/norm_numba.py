# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Numba, on a processor."""
import numba
import numpy as np


@numba.njit(fastmath={"reassoc", "contract"})
def row_factor(x, eps):
    total = np.float32(0)
    for value in x:
        total += value * value
    return np.float32(1) / np.sqrt(total / np.float32(x.size) + np.float32(eps))


@numba.njit
def rmsnorm(x, weight, y, eps):
    for row in range(x.shape[0]):
        factor = row_factor(x[row], eps)
        for i in range(x.shape[1]):
            y[row, i] = x[row, i] * factor * weight[i]
