# SPDX-License-Identifier: Apache-2.0
"""What RMSNorm is: what goes in, and what is right. Nothing here is of assay."""
import torch


def inputs(rows=512, hidden=4096, eps=1e-6):
    return {"x": f"bf16[{rows}, {hidden}]", "weight": f"bf16[{hidden}] normal(1, 0.1)", "eps": eps}


def reference(x, weight, eps):
    x = x.float()
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight
    return {"y": y.to(weight.dtype)}
