# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Triton with an autotuner, whose choice is in every result. A pin: CONFIGS with one item."""
import torch
import triton
import triton.language as tl

CONFIGS = [triton.Config({}, num_warps=warps) for warps in (4, 8, 16)]


@triton.autotune(CONFIGS, key=["hidden"])
@triton.jit
def rmsnorm_row(X, W, Y, hidden, stride, eps, BLOCK: tl.constexpr):
    row, columns = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    x = tl.load(X + row * stride + columns, mask=columns < hidden, other=0.0)
    w = tl.load(W + columns, mask=columns < hidden, other=0.0)
    factor = 1 / tl.sqrt(tl.sum(x * x, axis=0) / hidden + eps)
    tl.store(Y + row * hidden + columns, x * factor * w, mask=columns < hidden)


def rmsnorm(x, weight, eps):
    rows, hidden = x.shape
    y = torch.empty(rows, hidden, dtype=x.dtype, device=x.device)
    rmsnorm_row[(rows,)](x, weight, y, hidden, x.stride(0), eps, BLOCK=triton.next_power_of_2(hidden))
    return y
