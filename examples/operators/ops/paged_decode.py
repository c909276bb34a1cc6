# SPDX-License-Identifier: Apache-2.0
import torch

outputs = {"out": "bf16[batch, kv_heads * group, dim]"}


def inputs(batch=8, kv_heads=8, group=4, dim=128, context=1000, page=16):
    assert dim <= 256
    blocks = -(-context // page)
    return {"q": f"bf16[{batch}, {kv_heads * group}, {dim}]",
            "keys": f"bf16[{batch * blocks}, {page}, {kv_heads}, {dim}]",
            "values": f"bf16[{batch * blocks}, {page}, {kv_heads}, {dim}]",
            "table": f"int32[{batch}, {blocks}] unique({batch * blocks})",
            "lengths": f"int32[{batch}] lengths({context})"}


def reference(q, keys, values, table, lengths):
    (batch, heads, dim), kv_heads = q.shape, keys.shape[2]
    q = q.float().view(batch, kv_heads, -1, 1, dim)  # of each head of the keys the heads that share it
    keys, values = (cache[table.long()].flatten(1, 2).float().transpose(1, 2)[:, :, None] for cache in (keys, values))
    scores = (q @ keys.transpose(-1, -2)) * dim**-0.5
    is_behind = torch.arange(keys.shape[3], device=q.device) >= lengths[:, None]
    weights = scores.masked_fill(is_behind[:, None, None, None], float("-inf")).softmax(-1)
    values = values.masked_fill(is_behind[:, None, None, :, None], 0)
    return {"out": (weights @ values).view(batch, heads, dim).to(torch.bfloat16)}
