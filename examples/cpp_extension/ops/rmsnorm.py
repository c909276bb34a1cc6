# SPDX-License-Identifier: Apache-2.0
"""What RMSNorm is: what goes in, and what is right. Nothing here is of assay."""
import torch


def inputs(rows=256, hidden=1024, eps=1e-6):
    return {"x": f"fp32[{rows}, {hidden}]", "weight": f"fp32[{hidden}] normal(1, 0.1)", "eps": eps}


def reference(x, weight, eps):
    return {"y": x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight}
