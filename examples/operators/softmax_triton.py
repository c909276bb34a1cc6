# SPDX-License-Identifier: Apache-2.0
"""Softmax of long rows in Triton. A row is shared by up to 64 programs: the first kernel leaves the maximum and
the sum of each one's part, the second one writes. With BUG, a row's length is kept in 16 bits."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice  # its exp is precise, and tl.exp is quick

BLOCK = 4096
PARTS = 64


@triton.jit
def softmax_parts(X, MAXIMA, SUMS, columns, parts, BLOCK: tl.constexpr, BUG: tl.constexpr):
    row, part = tl.program_id(0) // parts, tl.program_id(0) % parts
    if BUG:
        count = columns & 0xFFFF
    else:
        count = columns
    start_of_row = row.to(tl.int64) * columns
    largest = tl.full([], float("-inf"), tl.float32)
    total = tl.full([], 0.0, tl.float32)
    for start in range(part * BLOCK, count, parts * BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + start_of_row + at, mask=at < count, other=float("-inf"))
        before = largest
        largest = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(before - largest) + tl.sum(libdevice.exp(x - largest), axis=0)
    tl.store(MAXIMA + tl.program_id(0), largest)
    tl.store(SUMS + tl.program_id(0), total)


@triton.jit
def softmax_write(X, Y, MAXIMA, SUMS, columns, parts, BLOCK: tl.constexpr, PARTS: tl.constexpr, BUG: tl.constexpr):
    row, part = tl.program_id(0) // parts, tl.program_id(0) % parts
    if BUG:
        count = columns & 0xFFFF
    else:
        count = columns
    start_of_row = row.to(tl.int64) * columns
    each = tl.arange(0, PARTS)
    maxima = tl.load(MAXIMA + row * parts + each, mask=each < parts, other=float("-inf"))
    sums = tl.load(SUMS + row * parts + each, mask=each < parts, other=0.0)
    largest = tl.max(maxima, axis=0)
    total = tl.sum(sums * libdevice.exp(maxima - largest), axis=0)
    for start in range(part * BLOCK, count, parts * BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(X + start_of_row + at, mask=at < count, other=float("-inf"))
        tl.store(Y + start_of_row + at, libdevice.exp(x - largest) / total, mask=at < count)


def softmax(x, BUG=False):
    x, (rows, columns) = x.contiguous(), x.shape
    parts = min(triton.cdiv(columns, BLOCK), PARTS)
    y = torch.empty_like(x)
    maxima, sums = torch.empty(2, rows, parts, device=x.device)
    softmax_parts[(rows * parts,)](x, maxima, sums, columns, parts, BLOCK=BLOCK, BUG=BUG)
    softmax_write[(rows * parts,)](x, y, maxima, sums, columns, parts, BLOCK=BLOCK, PARTS=PARTS, BUG=BUG)
    return y


def softmax_bug(x):
    return softmax(x, BUG=True)
