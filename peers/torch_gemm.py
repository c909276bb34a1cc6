# SPDX-License-Identifier: Apache-2.0
"""PyTorch's matrix products as a kernel of gemm: cuBLAS on a GPU, oneDNN or OpenBLAS on a CPU.

addmm and linear take the bias with them where PyTorch has a fused epilogue; the activation is a second kernel. The result is
returned, not written: in a captured graph the returned memory serves as the output (assay_bridge.py).
"""
import assay_torch  # noqa: F401  sets PyTorch up before anything of it is used
import torch
from torch.nn.functional import gelu, linear

NONE, RELU, GELU = 0, 1, 2
PACKAGES = {"own": ("torch",)}  # where its version is written when it is not imported (assay_bridge.py)
WIDE = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


class Gemm:
    """torch.mm, addmm, linear, and _scaled_mm for fp8."""

    name, tensors, version = "torch", "torch", torch.__version__

    def supports(self, problem):
        if problem.op != "gemm":
            return "torch_gemm computes matrix products only"
        if problem.dtype == "fp8_e4m3":
            if problem.backend != "cuda":
                return "PyTorch multiplies fp8 on GPUs only"
            if not problem.b_transposed or problem.n % 16 or problem.k % 16:
                return "PyTorch's _scaled_mm takes a transposed B, and n and k that are multiples of 16"
            if problem.accumulates:
                return "PyTorch's _scaled_mm adds to nothing"
        elif problem.accumulates and (problem.activation != NONE or "bias" in problem.dtypes):
            return "PyTorch's addmm adds one thing: C or a bias"
        elif problem.dtypes["c"] != problem.dtype:
            return "PyTorch's products have the dtype of their factors"
        return None

    def _product(self, problem, inputs, outputs):
        a, b = inputs.a, inputs.b
        bias = inputs.get("bias")
        if problem.dtype == "fp8_e4m3":
            return torch._scaled_mm(a, b.t(), scale_a=inputs.a_scale.view(()), scale_b=inputs.b_scale.view(()), bias=bias,
                                    out_dtype=WIDE[problem.dtypes["c"]])
        if problem.accumulates:
            return torch.addmm(outputs.c, a, b.t() if problem.b_transposed else b)
        if problem.b_transposed:
            return linear(a, b, bias)
        return torch.mm(a, b) if bias is None else torch.addmm(bias, a, b)

    def __call__(self, problem, inputs, outputs, stream):
        c = self._product(problem, inputs, outputs)
        if problem.activation == RELU:
            return torch.relu_(c)
        return gelu(c) if problem.activation == GELU else c


own = Gemm()
