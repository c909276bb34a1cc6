# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding of bf16 heads in Triton, in place: a program for some heads of a token. With BUG, the
partner of a number is half a head away, not half of what turns."""
import triton
import triton.language as tl

HEADS = 8  # of a program


@triton.jit
def rope_heads(POSITIONS, TABLE, X, of_token, of_head, heads, rotary, distance, HEADS: tl.constexpr, BLOCK: tl.constexpr):
    programs = tl.cdiv(heads, HEADS)  # of a token
    token = tl.program_id(0) // programs
    head = tl.program_id(0) % programs * HEADS + tl.arange(0, HEADS)
    row = tl.load(POSITIONS + token).to(tl.int64) * rotary
    places = X + token.to(tl.int64) * of_token + head.to(tl.int64)[:, None] * of_head
    half = rotary // 2
    for start in range(0, half, BLOCK):
        at = start + tl.arange(0, BLOCK)
        cosines = tl.load(TABLE + row + at, mask=at < half, other=0.0)[None, :]
        sines = tl.load(TABLE + row + half + at, mask=at < half, other=0.0)[None, :]
        mask = (head < heads)[:, None] & (at < half)[None, :]
        a = tl.load(places + at[None, :], mask=mask, other=0.0).to(tl.float32)
        b = tl.load(places + distance + at[None, :], mask=mask, other=0.0).to(tl.float32)
        tl.store(places + at[None, :], (a * cosines - b * sines).to(X.dtype.element_ty), mask=mask)
        tl.store(places + distance + at[None, :], (b * cosines + a * sines).to(X.dtype.element_ty), mask=mask)


def turn(positions, table, x, distance):
    tokens, heads, _ = x.shape
    rotary = table.shape[1]
    grid = (tokens * triton.cdiv(heads, HEADS),)
    block = min(max(triton.next_power_of_2(rotary // 2), 16), 128)
    rope_heads[grid](positions, table.contiguous(), x, x.stride(0), x.stride(1), heads, rotary, distance, HEADS=HEADS, BLOCK=block)


def rope(positions, table, x):
    turn(positions, table, x, table.shape[1] // 2)


def rope_bug(positions, table, x):
    turn(positions, table, x, x.shape[2] // 2)
