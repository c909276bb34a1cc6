# SPDX-License-Identifier: Apache-2.0
"""Products of tokens with the weights of their experts in Triton: a program for 32 neighbours in `order` and 32
columns. It goes through the experts to whom these pairs belong, as moe.c explains. With BUG, an expert without a
pair is not passed over."""
import torch
import triton
import triton.language as tl

TILE = 32
LAST = tl.constexpr(2**31 - 1)


@triton.jit
def expert_at(OFFSETS, experts, place):  # as many experts end at this place or before
    ret = tl.full([], 0, tl.int32)
    for start in range(0, experts, 1024):
        at = start + tl.arange(0, 1024)
        ends = tl.load(OFFSETS + 1 + at, mask=at < experts, other=LAST)
        ret += tl.sum((ends <= place).to(tl.int32), axis=0)
    return tl.minimum(ret, experts - 1)


@triton.jit
def moe_tile(X, W, GATES, OFFSETS, ORDER, Y, pairs, choices, experts, hidden, width, TILE: tl.constexpr,
             BUG: tl.constexpr):
    tiles = tl.cdiv(width, TILE)
    place = tl.program_id(0) // tiles * TILE + tl.arange(0, TILE)
    column = tl.program_id(0) % tiles * TILE + tl.arange(0, TILE)
    pair = tl.load(ORDER + place, mask=place < pairs, other=0).to(tl.int64)
    token = pair // choices
    first = tl.program_id(0) // tiles * TILE
    end = tl.minimum(first + TILE, pairs)
    expert = expert_at(OFFSETS, experts, first)
    while first < end:  # [first, stop): pairs of one expert
        stop = tl.maximum(tl.minimum(end, tl.load(OFFSETS + expert + 1)), first + 1)
        mask = (place >= first) & (place < stop)
        weights = W + (expert.to(tl.int64) * width + column) * hidden
        sums = tl.zeros([TILE, TILE], tl.float32)
        for start in range(0, hidden, 2 * TILE):  # as in gemm_gelu_triton.py
            part = tl.zeros([TILE, TILE], tl.float32)
            for step in range(start, start + 2 * TILE, TILE):
                at = step + tl.arange(0, TILE)
                x = tl.load(X + token[:, None] * hidden + at[None, :],
                            mask=mask[:, None] & (at < hidden)[None, :], other=0.0)
                w = tl.load(weights[None, :] + at[:, None],
                            mask=(column < width)[None, :] & (at < hidden)[:, None], other=0.0)
                part = tl.dot(x, w, part, input_precision="ieee")
            sums += part
        gates = tl.load(GATES + pair, mask=mask, other=0.0)
        tl.store(Y + pair[:, None] * width + column[None, :], sums * gates[:, None],
                 mask=mask[:, None] & (column < width)[None, :])
        first = stop
        if BUG:
            if tl.load(OFFSETS + expert + 1) <= first:
                expert = tl.minimum(expert + 1, experts - 1)
        else:
            expert = expert_at(OFFSETS, experts, first)


def moe(x, weights, gates, offsets, order, BUG=False):
    (experts, width, hidden), pairs, choices = weights.shape, order.shape[0], gates.shape[1]
    x, weights, gates = x.contiguous(), weights.contiguous(), gates.contiguous()
    y = torch.empty(pairs, width, device=x.device)
    grid = (triton.cdiv(pairs, TILE) * triton.cdiv(width, TILE),)
    moe_tile[grid](x, weights, gates, offsets, order, y, pairs, choices, experts, hidden, width, TILE=TILE, BUG=BUG)
    return y


def moe_bug(x, weights, gates, offsets, order):
    return moe(x, weights, gates, offsets, order, BUG=True)
