# SPDX-License-Identifier: Apache-2.0
"""FlashAttention-3 as a kernel, where its package for Hopper is installed (module flash_attn_interface): forward, with its own defaults.

It takes tensors as [batch, seq, heads, head_dim]: ours are handed over as views, and its result is returned as one.
"""
import contextlib
import importlib.metadata
import inspect

import assay_torch  # noqa: F401  sets PyTorch up before anything of it is used
import flash_attn_interface

TOP_LEFT, BOTTOM_RIGHT = 1, 2
HEAD_DIM_MAX = 256
PACKAGES = {"forward": ("flash_attn_3", "flash-attn-3")}  # where its version is written (assay_bridge.py)
# Earlier versions return the log-sum-exp always, and have no such parameter.
ASKS_FOR_LSE = "return_attn_probs" in inspect.signature(flash_attn_interface.flash_attn_func).parameters


def _version():
    for name in PACKAGES["forward"]:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    return None


def supports(problem):
    if problem.op != "attention":
        return "FlashAttention-3 is for attention only"
    if problem.dtype not in ("fp16", "bf16", "fp8_e4m3"):
        return "FlashAttention-3 has no %s" % problem.dtype
    if any(problem.dtypes[role] != problem.dtype for role in ("k", "v")):
        return "FlashAttention-3 takes Q, K and V of one type"
    if problem.dtypes["out"] != ("bf16" if problem.dtype == "fp8_e4m3" else problem.dtype):
        return "FlashAttention-3 gives bf16 for fp8, and else the type of Q"
    if problem.dtype == "fp8_e4m3" and problem.heads != problem.heads_kv:
        return "FlashAttention-3 takes a scale of Q for each head of K, not for each of Q"
    if problem.head_dim > HEAD_DIM_MAX or problem.head_dim % 8:
        return "FlashAttention-3 takes head dimensions up to %d that are multiples of 8" % HEAD_DIM_MAX
    if problem.causal == TOP_LEFT and problem.seq_q != problem.seq_k:
        return "FlashAttention-3 aligns its causal mask with the last key"
    return None


def _arguments(problem, inputs):
    made = {"softmax_scale": problem.scale, "causal": bool(problem.causal)}
    window, softcap = getattr(problem, "window", 0), getattr(problem, "softcap", 0.0)
    if window:
        made["window_size"] = (window - 1, 0)
    if softcap:
        made["softcap"] = softcap
    if problem.dtype == "fp8_e4m3":
        for ours, theirs in (("q_scale", "q_descale"), ("k_scale", "k_descale"), ("v_scale", "v_descale")):
            scale = inputs.get(ours)
            if scale is not None:
                made[theirs] = scale
    if problem.wants_lse and ASKS_FOR_LSE:
        made["return_attn_probs"] = True
    return made


def forward(problem, inputs, outputs, stream):
    by_token = [tensor.transpose(1, 2) for tensor in (inputs.q, inputs.k, inputs.v)]
    result = flash_attn_interface.flash_attn_func(*by_token, **_arguments(problem, inputs))
    out, lse = (result[0], result[1]) if isinstance(result, (tuple, list)) else (result, None)
    out = out.transpose(1, 2)
    return (out, lse) if problem.wants_lse else out


forward.supports = supports
forward.features = "window softcap out_dtype"
forward.tensors = "torch"
forward.version = _version()
forward.note = lambda problem, inputs, outputs: "FlashAttention-3" + (
    " " + forward.version if forward.version else ", of a version that its package does not tell")
