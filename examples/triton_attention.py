# SPDX-License-Identifier: Apache-2.0
"""Attention in Triton as a kernel for assay: fp16 and bf16, head dimensions 16 to 128, causal masks, grouped
heads, any strides.

FlashAttention: a program computes BLOCK_M query rows of one head and loops over key blocks with an online
softmax in base 2.
In a manifest:  triton: {operator: attention, backend: cuda, python: "triton_attention:forward"}
"""
import torch  # noqa: F401  the tensors are PyTorch's
import triton
import triton.language as tl

LOG2_E = 1.4426950408889634
BOTTOM_RIGHT = 2


@triton.jit
def attention_rows(Q, K, V, O, q_b, q_h, q_s, k_b, k_h, k_s, v_b, v_h, v_s, o_b, o_h, o_s, heads, group,
                   seq_q, seq_k, offset, scale, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1) % heads
    batch = (tl.program_id(1) // heads).to(tl.int64)
    rows = start + tl.arange(0, BLOCK_M)
    dims = tl.arange(0, D)
    q_at = Q + batch * q_b + head * q_h + rows[:, None] * q_s + dims[None, :]
    q = tl.load(q_at, mask=rows[:, None] < seq_q, other=0.0)
    k_head = K + batch * k_b + (head // group) * k_h
    v_head = V + batch * v_b + (head // group) * v_h
    row_max = tl.full([BLOCK_M], float("-inf"), tl.float32)
    row_sum = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, D], tl.float32)
    end = seq_k
    if CAUSAL:  # skips keys that no row of this block sees
        end = tl.minimum(seq_k, tl.maximum(start + BLOCK_M + offset, 0))
    for first in range(0, end, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        k_at = k_head + columns[None, :] * k_s + dims[:, None]
        k = tl.load(k_at, mask=columns[None, :] < seq_k, other=0.0)
        scores = tl.dot(q, k) * scale
        visible = columns[None, :] < seq_k
        if CAUSAL:
            visible = visible & (columns[None, :] <= rows[:, None] + offset)
        scores = tl.where(visible, scores, float("-inf"))
        new_max = tl.maximum(row_max, tl.max(scores, 1))
        shift = tl.where(new_max == float("-inf"), 0.0, new_max)  # no visible key so far
        p = tl.exp2(scores - shift[:, None])
        rescale = tl.exp2(row_max - shift)
        row_sum = row_sum * rescale + tl.sum(p, 1)
        v_at = v_head + columns[:, None] * v_s + dims[None, :]
        v = tl.load(v_at, mask=columns[:, None] < seq_k, other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        row_max = new_max
    acc = acc / tl.where(row_sum > 0, row_sum, 1.0)[:, None]  # rows that see no key stay 0
    o_at = O + batch * o_b + head * o_h + rows[:, None] * o_s + dims[None, :]
    tl.store(o_at, acc.to(O.dtype.element_ty), mask=rows[:, None] < seq_q)


def forward(problem, inputs, outputs, stream):
    q, k, v, out = inputs.q, inputs.k, inputs.v, outputs.out
    block_m, block_n = 128, 64
    if problem.seq_q <= 64:
        block_m = 64
    grid = (triton.cdiv(problem.seq_q, block_m), problem.batch * problem.heads)
    offset = problem.seq_k - problem.seq_q if problem.causal == BOTTOM_RIGHT else 0
    attention_rows[grid](q, k, v, out, *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
                         problem.heads, problem.heads // problem.heads_kv, problem.seq_q, problem.seq_k,
                         offset, problem.scale * LOG2_E, CAUSAL=problem.causal != 0,
                         BLOCK_M=block_m, BLOCK_N=block_n, D=problem.head_dim,
                         num_warps=4 if problem.head_dim <= 64 else 8, num_stages=3)


def supports(problem):
    if problem.dtype not in ("fp16", "bf16"):
        return "this example is for fp16 and bf16, not for %s" % problem.dtype
    if problem.wants_lse:
        return "this example writes no log-sum-exp"
    if problem.head_dim not in (16, 32, 64, 128):
        return "head sizes are 16, 32, 64 and 128, not %d" % problem.head_dim
    return None


forward.supports = supports
