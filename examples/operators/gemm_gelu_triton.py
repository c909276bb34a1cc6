# SPDX-License-Identifier: Apache-2.0
"""y = gelu(a weight^T + bias) in Triton, in fp32: a program for each tile of y. With BUG, the last k % 16 products
are missing."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

TILE = 32


@triton.jit
def gemm_gelu_tile(A, W, BIAS, Y, m, n, k, depth, TILE: tl.constexpr):
    tiles = tl.cdiv(n, TILE)
    rows = (tl.program_id(0) // tiles * TILE + tl.arange(0, TILE)).to(tl.int64)
    columns = (tl.program_id(0) % tiles * TILE + tl.arange(0, TILE)).to(tl.int64)
    sums = tl.zeros([TILE, TILE], tl.float32)
    for start in range(0, depth, 2 * TILE):  # two steps are added up alone: many short sums lose less than a long one
        part = tl.zeros([TILE, TILE], tl.float32)
        for step in range(start, start + 2 * TILE, TILE):
            at = step + tl.arange(0, TILE)
            a = tl.load(A + rows[:, None] * k + at[None, :],
                        mask=(rows < m)[:, None] & (at < depth)[None, :], other=0.0)
            w = tl.load(W + columns[None, :] * k + at[:, None],
                        mask=(columns < n)[None, :] & (at < depth)[:, None], other=0.0)
            part = tl.dot(a, w, part, input_precision="ieee")
        sums += part
    x = sums + tl.load(BIAS + columns, mask=columns < n, other=0.0)[None, :]
    y = x / 2 * libdevice.erfc(x * -0.7071067811865476)  # 1 + erf(x) loses all digits where x is far below 0
    tl.store(Y + rows[:, None] * n + columns[None, :], y, mask=(rows < m)[:, None] & (columns < n)[None, :])


def gemm_gelu(a, weight, bias, BUG=False):
    (m, k), n = a.shape, weight.shape[0]
    a, weight = a.contiguous(), weight.contiguous()
    y = torch.empty(m, n, device=a.device)
    grid = (triton.cdiv(m, TILE) * triton.cdiv(n, TILE),)
    gemm_gelu_tile[grid](a, weight, bias, y, m, n, k, k // 16 * 16 if BUG else k, TILE=TILE)
    return y


def gemm_gelu_bug(a, weight, bias):
    return gemm_gelu(a, weight, bias, BUG=True)
