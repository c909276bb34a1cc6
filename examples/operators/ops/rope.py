# SPDX-License-Identifier: Apache-2.0
import torch

outputs = {"x": "bf16[tokens, heads, dim]"}  # changed in place


def inputs(tokens=512, heads=32, dim=128, rotary=128, context=4096):
    assert rotary <= dim
    assert rotary % 2 == 0
    return {"positions": f"int32[{tokens}] below({context})", "table": f"fp32[{context}, {rotary}] uniform(-1, 1)",
            "x": f"bf16[{tokens}, {heads}, {dim}]"}


def reference(positions, table, x):
    rotary = table.shape[1]
    cosines, sines = table[positions.long(), None].chunk(2, dim=-1)
    a, b = x[..., :rotary].float().chunk(2, dim=-1)
    x[..., :rotary] = torch.cat((a * cosines - b * sines, b * cosines + a * sines), dim=-1).to(x.dtype)
