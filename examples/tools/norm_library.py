# SPDX-License-Identifier: Apache-2.0
"""RMSNorm as custom operators of PyTorch: torch.ops.tools.rmsnorm, and where there is custom_op (PyTorch 2.4), one that it made."""
import torch

library = torch.library.Library("tools", "DEF")
library.define("rmsnorm(Tensor x, Tensor weight, float eps) -> Tensor")


def compute(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight


library.impl("rmsnorm", compute, "CompositeExplicitAutograd")
rmsnorm = torch.ops.tools.rmsnorm
if hasattr(torch.library, "custom_op"):
    made = torch.library.custom_op("tools::made_rmsnorm", compute, mutates_args=())
