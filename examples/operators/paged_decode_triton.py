# SPDX-License-Identifier: Apache-2.0
"""Attention of one query for each sequence over keys and values in pages, in Triton: a program for each sequence
and head of the keys takes up to 16 of the heads that share it, so that each key is read once. With BUG, the second
key of a pair is looked for behind the first: right while pages have an even number of tokens."""
import torch
import triton
import triton.language as tl

HEADS = 16  # of a program
KEYS = 64  # of a step


@triton.jit
def paged_decode_heads(Q, K, V, TABLE, LENGTHS, OUT, kv_heads, group, dim, page, blocks, scale, HEADS: tl.constexpr,
                       KEYS: tl.constexpr, DIM: tl.constexpr, BUG: tl.constexpr):
    programs = tl.cdiv(group, HEADS)  # of a head of the keys
    kv_head = tl.program_id(0) // programs % kv_heads
    sequence = (tl.program_id(0) // programs // kv_heads).to(tl.int64)
    of_group = tl.program_id(0) % programs * HEADS + tl.arange(0, HEADS)
    d = tl.arange(0, DIM)
    rows = ((sequence * kv_heads + kv_head) * group + of_group)[:, None] * dim + d[None, :]
    row_mask = (of_group < group)[:, None] & (d < dim)[None, :]
    q = tl.load(Q + rows, mask=row_mask, other=0.0)
    length = tl.load(LENGTHS + sequence)
    largest = tl.full([HEADS], float("-inf"), tl.float32)
    total = tl.zeros([HEADS], tl.float32)
    sums = tl.zeros([HEADS, DIM], tl.float32)
    for start in range(0, length, KEYS):
        token = start + tl.arange(0, KEYS)
        if BUG:
            found = token // 2 * 2
            behind = token % 2
        else:
            found = token
            behind = 0
        in_page = tl.load(TABLE + sequence * blocks + found // page, mask=token < length, other=0).to(tl.int64)
        places = ((in_page * page + found % page + behind) * kv_heads + kv_head) * dim
        k = tl.load(K + places[None, :] + d[:, None], mask=(token < length)[None, :] & (d < dim)[:, None], other=0.0)
        scores = tl.where((token < length)[None, :], tl.dot(q, k) * scale, float("-inf"))
        before = largest
        largest = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - largest[:, None])
        keep = tl.exp(before - largest)
        v = tl.load(V + places[:, None] + d[None, :], mask=(token < length)[:, None] & (d < dim)[None, :], other=0.0)
        sums = sums * keep[:, None] + tl.dot(weights.to(v.dtype), v)
        total = total * keep + tl.sum(weights, axis=1)
    tl.store(OUT + rows, (sums / total[:, None]).to(OUT.dtype.element_ty), mask=row_mask)


def paged_decode(q, keys, values, table, lengths, kv_heads, BUG=False):
    (batch, heads, dim), page, blocks = q.shape, keys.shape[1], table.shape[1]
    group = heads // kv_heads
    q, keys, values, table = (tensor.contiguous() for tensor in (q, keys, values, table))
    out = torch.empty_like(q)
    paged_decode_heads[(batch * kv_heads * triton.cdiv(group, HEADS),)](
        q, keys, values, table, lengths, out, kv_heads, group, dim, page, blocks, dim**-0.5, HEADS=HEADS, KEYS=KEYS,
        DIM=max(triton.next_power_of_2(dim), 16), BUG=BUG, num_stages=2)
    return out


def paged_decode_bug(q, keys, values, table, lengths, kv_heads):
    return paged_decode(q, keys, values, table, lengths, kv_heads, BUG=True)
