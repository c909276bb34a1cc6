# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Numba, on a GPU: a warp for each row. Tensors are PyTorch's, which Numba takes as they are."""
import math

from numba import cuda, float32


@cuda.jit
def rmsnorm_row(x, weight, y, eps):
    row, lane = cuda.blockIdx.x, cuda.threadIdx.x
    total = float32(0)
    for i in range(lane, x.shape[1], 32):
        total += x[row, i] * x[row, i]
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xffffffff, total, step)
    factor = float32(1) / math.sqrt(total / float32(x.shape[1]) + float32(eps))
    for i in range(lane, x.shape[1], 32):
        y[row, i] = x[row, i] * factor * weight[i]


def rmsnorm(x, weight, y, eps, stream):
    rmsnorm_row[x.shape[0], 32, cuda.external_stream(stream.cuda_stream)](x, weight, y, eps)
