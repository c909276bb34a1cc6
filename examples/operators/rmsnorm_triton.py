# SPDX-License-Identifier: Apache-2.0
"""RMSNorm in Triton: a program a row. Nothing here is of assay, which calls rmsnorm by the names of its parameters."""
import torch
import triton
import triton.language as tl


@triton.jit
def rmsnorm_row(X, W, Y, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * hidden
    columns = tl.arange(0, BLOCK)
    mask = columns < hidden
    x = tl.load(X + row + columns, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(W + columns, mask=mask, other=0.0).to(tl.float32)
    y = x * tl.rsqrt(tl.sum(x * x, axis=0) / hidden + eps) * w
    tl.store(Y + row + columns, y.to(Y.dtype.element_ty), mask=mask)


def rmsnorm(x, weight, eps):
    rows, hidden = x.shape
    if hidden > 65536:
        raise NotImplementedError("a row is one block: at most 65536 columns")
    y = torch.empty_like(x)
    rmsnorm_row[(rows,)](x, weight, y, hidden, eps, BLOCK=triton.next_power_of_2(hidden))
    return y
