# SPDX-License-Identifier: Apache-2.0
"""The k largest numbers of each row in Triton, the largest first: a program for each row, which goes through the
row k times. Of equal numbers the first one comes first. With BUG, the search begins at 0: right while k numbers
are above 0."""
import torch
import triton
import triton.language as tl

LAST = tl.constexpr(2**31 - 1)


@triton.jit
def topk_row(X, VALUES, INDICES, columns, k, BLOCK: tl.constexpr, BUG: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    value = tl.full([], float("inf"), tl.float32)  # the one taken last
    index = tl.full([], -1, tl.int32)
    for turn in range(k):
        if BUG:
            best = tl.full([BLOCK], 0.0, tl.float32)
        else:
            best = tl.full([BLOCK], float("-inf"), tl.float32)
        places = tl.full([BLOCK], LAST, tl.int32)
        for start in range(0, columns, BLOCK):
            at = start + tl.arange(0, BLOCK)
            x = tl.load(X + row * columns + at, mask=at < columns, other=float("-inf"))
            is_left = (at < columns) & ((x < value) | ((x == value) & (at > index)))
            is_better = is_left & ((x > best) | ((x == best) & (at < places)))
            best = tl.where(is_better, x, best)
            places = tl.where(is_better, at, places)
        value = tl.max(best, axis=0)
        index = tl.min(tl.where(best == value, places, LAST), axis=0)
        tl.store(VALUES + row * k + turn, value)
        tl.store(INDICES + row * k + turn, index)


def topk(x, k, BUG=False):
    x, (rows, columns) = x.contiguous(), x.shape
    values = torch.empty(rows, k, dtype=x.dtype, device=x.device)
    indices = torch.empty(rows, k, dtype=torch.int32, device=x.device)
    block = min(triton.next_power_of_2(columns), 4096)
    topk_row[(rows,)](x, values, indices, columns, k, BLOCK=block, BUG=BUG, num_warps=8)
    return values, indices


def topk_bug(x, k):
    return topk(x, k, BUG=True)
