# SPDX-License-Identifier: Apache-2.0
"""The package as its users import it: norms.rmsnorm, and the same as an operator of PyTorch. Nothing here is of assay."""
import torch

from norms import _C  # also registers the operator

rmsnorm = _C.rmsnorm
op = torch.ops.norms.rmsnorm
