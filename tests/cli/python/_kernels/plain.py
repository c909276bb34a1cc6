# SPDX-License-Identifier: Apache-2.0
"""Attention in plain Python."""
import math


def rows(tensor):
    values = tensor.memory().cast("f")
    b, h, s, d = tensor.strides
    return values, b, h, s


def forward(problem, inputs, outputs, stream):
    (q, qb, qh, qs), (k, kb, kh, ks), (v, vb, vh, vs) = (rows(inputs[r]) for r in "qkv")
    o, ob, oh, os_ = rows(outputs.out)
    d, group = problem.head_dim, problem.heads // problem.heads_kv
    for b in range(problem.batch):
        for h in range(problem.heads):
            for i in range(problem.seq_q):
                at = b * qb + h * qh + i * qs
                qrow = q[at:at + d]
                offset = problem.seq_k - problem.seq_q if problem.causal == 2 else 0
                count = min(problem.seq_k, i + 1 + offset) if problem.causal else problem.seq_k
                scores = []
                for j in range(max(count, 0)):
                    ka = b * kb + h // group * kh + j * ks
                    scores.append(problem.scale * math.fsum(x * y for x, y in zip(qrow, k[ka:ka + d])))
                top = max(scores, default=0.0)
                weights = [math.exp(s - top) for s in scores]
                total = math.fsum(weights)
                oa = b * ob + h * oh + i * os_
                for x in range(d):
                    va = b * vb + h // group * vh + x
                    o[oa + x] = math.fsum(w * v[va + j * vs] for j, w in enumerate(weights)) / total if weights else 0.0
