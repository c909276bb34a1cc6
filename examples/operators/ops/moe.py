# SPDX-License-Identifier: Apache-2.0
import torch


def inputs(tokens=256, choices=2, experts=8, hidden=512, width=256):
    pairs = tokens * choices
    return {"x": f"fp32[{tokens}, {hidden}]", "weights": f"fp32[{experts}, {width}, {hidden}]",
            "gates": f"fp32[{tokens}, {choices}] probs", "offsets": f"int32[{experts + 1}] indptr({pairs})",
            "order": f"int32[{pairs}] unique({pairs})"}


def reference(x, weights, gates, offsets, order):
    place, pair = torch.arange(len(order), dtype=torch.int32, device=x.device), order.long()
    # Not in offsets[1:]: compiled, PyTorch 2.11 searches a slice from the beginning of what it is a slice of (pytorch#182343).
    expert = (torch.searchsorted(offsets, place, right=True) - 1).clamp(max=len(weights) - 1)
    of_all = torch.einsum("th,ewh->tew", x, weights)  # every token with every expert: sizes depend on no data
    y = torch.empty(len(order), weights.shape[1], dtype=x.dtype, device=x.device)
    y[pair] = of_all[pair // gates.shape[1], expert] * gates.flatten()[pair, None]
    return {"y": y}
