# SPDX-License-Identifier: Apache-2.0
"""PyTorch's scaled_dot_product_attention as kernels: one with PyTorch's own choice of backend, and one for each backend.

The result is returned, not written: in a captured graph the returned memory serves as the output (assay_bridge.py). A problem
that a backend does not support is reported before anything is timed, with PyTorch's reason if it gives one.
"""
import re
import warnings

import assay_torch  # sets PyTorch up before anything of it is used
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

TOP_LEFT, BOTTOM_RIGHT = 1, 2
# Where the version of each function is written when it is not imported (assay_bridge.py).
PACKAGES = {"own": ("torch",), "flash": ("torch",), "efficient": ("torch",), "math": ("torch",),
            "cudnn": ("nvidia-cudnn-cu13", "nvidia-cudnn-cu12")}
# Phrases in PyTorch's errors when a backend does not support a problem.
REFUSALS = ("no available kernel", "no viable backend", "no execution plans support", "no valid execution plans",
            "no valid engine configs")
NAMES = {0: "MATH", 1: "FLASH_ATTENTION", 2: "EFFICIENT_ATTENTION", 3: "CUDNN_ATTENTION", 4: "OVERRIDEABLE"}


def first_sentence(text):
    """The first sentence: PyTorch's later ones repeat the arguments and link to help. A full stop without a space after it is
    inside a word.
    """
    return re.match(r".*?(?=[.!?](?:\s|$)|$)", text.strip(), flags=re.S).group(0).strip()


def reasons(caught):
    """PyTorch's reasons against a backend, one sentence each, without headlines and without its messages about backends that are
    switched off.
    """
    texts = []
    for warning in caught:
        text = re.sub(r"\s*\(Triggered internally at .*", "", str(warning.message), flags=re.S).strip()
        if not text or text.endswith("because:") or "runtime disabled" in text:
            continue
        if first_sentence(text) not in texts:
            texts.append(first_sentence(text))
    return "; ".join(texts)


class Attention:
    """One peer: scaled_dot_product_attention with PyTorch's choice of backend, or with one backend only."""

    tensors = "torch"

    def __init__(self, name, backend=None):
        self.name, self.backend = name, backend
        self.tried, self.masks = set(), {}

    @property
    def version(self):
        """That of the library that computes: PyTorch, or the cuDNN that it has loaded."""
        if not self._is_pinned_to("CUDNN_ATTENTION"):
            return torch.__version__
        return assay_torch.cudnn_version()

    def _is_pinned_to(self, name):
        return self.backend is not None and self.backend == getattr(SDPBackend, name, None)

    def supports(self, problem):
        if problem.op != "attention":
            return "PyTorch's scaled_dot_product_attention is for attention only"
        if problem.dtype not in ("fp32", "fp16", "bf16", "fp64"):
            return "PyTorch's scaled_dot_product_attention has no %s" % problem.dtype
        if problem.wants_lse:
            return "PyTorch's scaled_dot_product_attention returns no log-sum-exp"
        if problem.causal != BOTTOM_RIGHT or problem.seq_q == problem.seq_k:
            return None
        if problem.seq_q > problem.seq_k:
            return "PyTorch gives NaN for rows that see no key (causal, bottom-right, more queries than keys)"
        if self._is_pinned_to("CUDNN_ATTENTION"):
            return "PyTorch has no bottom-right causal mask for its cuDNN backend"
        if self._is_pinned_to("EFFICIENT_ATTENTION") and problem.heads != problem.heads_kv:
            return "PyTorch has no bottom-right causal mask with grouped heads for its memory-efficient backend"
        return None

    def _mask(self, problem, device):
        """The bottom-right mask: on a GPU PyTorch's bias object, which fused backends know; else a mask tensor, made once."""
        if device.type == "cuda" and not self._is_pinned_to("MATH"):
            from torch.nn.attention.bias import causal_lower_right
            return causal_lower_right(problem.seq_q, problem.seq_k)
        key = (problem.seq_q, problem.seq_k, device)
        if key not in self.masks:
            ones = torch.ones(problem.seq_q, problem.seq_k, dtype=torch.bool, device=device)
            self.masks[key] = ones.tril(problem.seq_k - problem.seq_q)
        return self.masks[key]

    def _arguments(self, problem, device):
        made = {"scale": problem.scale}
        if problem.heads != problem.heads_kv:
            made["enable_gqa"] = True
        if problem.causal == BOTTOM_RIGHT and problem.seq_q != problem.seq_k:
            made["attn_mask"] = self._mask(problem, device)
        else:
            made["is_causal"] = bool(problem.causal)
        return made

    def _compute(self, problem, q, k, v):
        if self.backend is None:
            return scaled_dot_product_attention(q, k, v, **self._arguments(problem, q.device))
        with sdpa_kernel(self.backend):
            return scaled_dot_product_attention(q, k, v, **self._arguments(problem, q.device))

    def _try(self, problem, q, k, v):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                out = self._compute(problem, q, k, v)
            except RuntimeError as error:
                if not any(words in str(error).lower() for words in REFUSALS):
                    raise
                raise NotImplementedError(reasons(caught) or first_sentence(str(error))) from None
        self.tried.add(problem.name)
        return out

    def __call__(self, problem, inputs, outputs, stream):
        q, k, v = inputs.q, inputs.k, inputs.v
        if problem.name not in self.tried:
            return self._try(problem, q, k, v)
        return self._compute(problem, q, k, v)

    def note(self, problem, inputs, outputs):
        """A note for the report: which backend runs."""
        q, k, v = inputs.q, inputs.k, inputs.v
        arguments = self._arguments(problem, q.device)
        if self.backend is not None:
            return "ran %s" % NAMES.get(int(self.backend), self.name)
        if type(arguments.get("attn_mask")) not in (type(None), torch.Tensor):
            return "PyTorch's own choice for a bottom-right mask"
        try:
            with torch.no_grad():
                return "ran %s" % NAMES.get(torch._fused_sdp_choice(q, k, v, **arguments), "a backend without a name")
        except (AttributeError, RuntimeError, TypeError):
            return "PyTorch's own choice, which this version does not tell"


def pinned(name, backend):
    found = getattr(SDPBackend, backend, None)
    if found is None:
        raise ImportError("PyTorch %s knows no attention backend %s" % (torch.__version__, backend))
    return Attention(name, found)


own = Attention("torch")
flash = pinned("torch:flash", "FLASH_ATTENTION")
efficient = pinned("torch:efficient", "EFFICIENT_ATTENTION")
math = pinned("torch:math", "MATH")


def __getattr__(name):  # older versions of PyTorch have no cuDNN backend, and the others all the same
    if name == "cudnn":
        return pinned("torch:cudnn", "CUDNN_ATTENTION")
    raise AttributeError(name)
