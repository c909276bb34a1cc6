# SPDX-License-Identifier: Apache-2.0
"""bf16 to fp8 e4m3 in Triton, with a scale for every 128 numbers of a row: a program for some groups of a row.

With BUG, the largest number of the last group is looked for in 128 numbers too, and so in the next row."""
import torch
import triton
import triton.language as tl

GROUPS = 8  # of a program


@triton.jit
def quantize_groups(X, CODES, SCALES, rows, columns, groups, GROUPS: tl.constexpr, BUG: tl.constexpr):
    programs = tl.cdiv(groups, GROUPS)  # of a row
    row = (tl.program_id(0) // programs).to(tl.int64)
    group = tl.program_id(0) % programs * GROUPS + tl.arange(0, GROUPS)
    at = group.to(tl.int64)[:, None] * 128 + tl.arange(0, 128)[None, :]
    if BUG:
        seen = at < (rows - row) * columns
    else:
        seen = at < columns
    x = tl.load(X + row * columns + at, mask=seen, other=0.0).to(tl.float32)
    largest = tl.max(tl.abs(x), axis=1)
    scale = tl.where(largest > 0, tl.div_rn(largest, 448.0), 1.0)  # `/` alone may be off by a rounding
    codes = tl.div_rn(x, tl.broadcast_to(scale[:, None], x.shape)).to(CODES.dtype.element_ty)
    tl.store(CODES + row * columns + at, codes, mask=at < columns)
    tl.store(SCALES + row * groups + group, scale, mask=group < groups)


def quantize(x, BUG=False):
    x, (rows, columns) = x.contiguous(), x.shape
    groups = triton.cdiv(columns, 128)
    codes = torch.empty_like(x, dtype=torch.float8_e4m3fn)
    scales = torch.empty(rows, groups, dtype=torch.float32, device=x.device)
    grid = (rows * triton.cdiv(groups, GROUPS),)
    quantize_groups[grid](x, codes, scales, rows, columns, groups, GROUPS=GROUPS, BUG=BUG)
    return codes, scales


def quantize_bug(x):
    return quantize(x, BUG=True)
