# The peer of FlashAttention-3, by stand-ins for it and for PyTorch: what it hands over, in which order of axes, and what it refuses, in
# its own words. Without the package the program says which one is missing.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
export PYTHONPATH=$ASSAY_SOURCE/peers:$ASSAY_SOURCE/tests/cli/python/_fake
python3 - <<'P'
import importlib
import sys
import types


class View:
    """Axes by name, as a transposition moves them."""

    def __init__(self, name, axes="bhsd"):
        self.name, self.axes = name, axes

    def transpose(self, a, b):
        axes = list(self.axes)
        axes[a], axes[b] = axes[b], axes[a]
        return View(self.name, "".join(axes))

    def __repr__(self):
        return "%s:%s" % (self.name, self.axes)


def earlier(q, k, v, **others):  # gave the log-sum-exp always
    print("called", q, k, v, sorted(others.items()))
    return View("new", "bshd"), View("lse", "bhs")


def flash_attn_func(q, k, v, return_attn_probs=False, **others):
    both = earlier(q, k, v, **others)
    return both if return_attn_probs else both[0]


sys.modules["assay_torch"] = types.ModuleType("assay_torch")
fake = types.ModuleType("flash_attn_interface")
fake.flash_attn_func = flash_attn_func
sys.modules["flash_attn_interface"] = fake
import flash_attn_peer
from assay_tensor import TensorList


def problem(**changed):
    dtype = changed.get("dtype", "fp16")
    made = dict(op="attention", dtype="fp16", dtypes=dict.fromkeys(("k", "v", "out"), dtype), heads=4, heads_kv=4, seq_q=8, seq_k=8,
                head_dim=64, causal=0, scale=0.125, wants_lse=False)
    made.update(changed)
    made["dtypes"].update(changed.get("types", {}))
    return types.SimpleNamespace(**made)


def run(asked, scales=()):
    roles = ["q", "k", "v"] + list(scales)
    inputs = TensorList([View(role) for role in roles], roles)
    print(flash_attn_peer.forward(asked, inputs, None, None))


run(problem())
run(problem(causal=2, wants_lse=True))
fake.flash_attn_func = earlier
importlib.reload(flash_attn_peer)
run(problem(causal=2, wants_lse=True))
run(problem(causal=1, window=5, softcap=30.0))
fp8 = problem(dtype="fp8_e4m3", types={"out": "bf16"})
run(fp8, ["q_scale", "k_scale", "v_scale"])
run(fp8)
for refused in (problem(op="gemm"), problem(dtype="fp32"), problem(dtype="fp8_e4m3"), problem(head_dim=260), problem(head_dim=20),
                problem(dtype="fp8_e4m3", types={"out": "bf16"}, heads=8), problem(causal=1, seq_k=9), problem(types={"out": "fp32"}),
                problem(types={"k": "fp8_e4m3"})):
    print(flash_attn_peer.supports(refused))
print(flash_attn_peer.supports(problem(causal=2, seq_k=9)), flash_attn_peer.supports(fp8))
print(flash_attn_peer.forward.note(None, None, None))
P
unset PYTHONPATH
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
assay fuzz --kernel flash_attn_3 --device cuda:0 --problem attention/fp16/b1/h1/s8/d8 2>&1; echo "exit $?"
