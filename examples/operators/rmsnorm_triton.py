# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Triton: a program for each row. With BUG, eps is added to the root and not below it.

Nothing here is of assay, which calls rmsnorm by the names of its parameters."""
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_row(X, W, Y, hidden, eps, BLOCK: tl.constexpr, BUG: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * hidden
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, hidden, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(X + row + columns, mask=columns < hidden, other=0.0).to(tl.float32)
        squares += x * x
    mean = tl.sum(squares, axis=0) / hidden
    if BUG:
        factor = 1 / (tl.sqrt(mean) + eps)
    else:
        factor = 1 / tl.sqrt(mean + eps)
    for start in range(0, hidden, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < hidden
        x = tl.load(X + row + columns, mask=mask, other=0.0).to(tl.float32)
        w = tl.load(W + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + row + columns, (x * factor * w).to(Y.dtype.element_ty), mask=mask)


def rmsnorm(x, weight, eps, BUG=False):
    x, (rows, hidden) = x.contiguous(), x.shape
    y = torch.empty_like(x)
    rmsnorm_row[(rows,)](x, weight, y, hidden, eps, BLOCK=min(triton.next_power_of_2(hidden), 4096), BUG=BUG)
    return y


def rmsnorm_bug(x, weight, eps):
    return rmsnorm(x, weight, eps, BUG=True)
