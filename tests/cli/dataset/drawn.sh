# References that draw: without a seed of their own they are no measure, with one they are, and of torch.multinomial its weights say which
# results are right. Of the last the file that assay made is called here: a whole fuzz would import PyTorch four times.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
"$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))' || { echo "SKIPPED: $python has no torch"; exit 0; }
. "$ASSAY_SOURCE/tests/cli/dataset/_set.sh"
printf 'version: 1\npython_interpreter: %s\n' "$("$python" -c 'import sys; print(sys.executable)')" >assay.yaml
mkdir -p set/definitions
define() { # NAME TYPE-OF-RESULT SIZES-OF-RESULT < the reference
    python3 - "$@" <<P
import json, sys
name, kind, sizes = sys.argv[1:]
tensor = {"shape": ["n", "v"], "dtype": "float32"}
json.dump({"name": name, "op_type": "drawn", "axes": {"n": {"type": "var"}, "v": {"type": "const", "value": 40}}, "inputs": {"probs": tensor},
           "outputs": {"out": {"shape": sizes.split(), "dtype": kind}}, "reference": """$(cat)"""}, open("set/definitions/%s.json" % name, "w"))
P
}
define noisy float32 'n v' <<'P'
import numpy as np
def run(probs):
    return probs + np.random.standard_normal(probs.shape).astype(probs.dtype)
P
define seeded float32 'n v' <<'P'
import numpy as np
def run(probs):
    np.random.seed(3)
    return probs + np.random.default_rng(7).standard_normal(probs.shape).astype(probs.dtype) + np.float32(np.random.random())
P
define pick int64 'n' <<'P'
import torch
def run(probs):
    out = torch.empty(probs.shape[0], dtype=torch.int64)
    for i, row in enumerate(probs.float()):
        row = torch.where(row >= row.topk(20).values[-1], row, 0 * row)
        out[i] = torch.multinomial(row / row.sum(), 1)
    return out
P
one() { fuzz=(fuzz --dataset set --definition "$1" --solution reference --problem "$1/n3"); }
one noisy; says "${fuzz[@]}"
one seeded; assay "${fuzz[@]}" 2>&1 | sed -n 's/ (abs.*//; /\.\.\./p'
one pick; assay "${fuzz[@]}" --dry-run >/dev/null 2>&1
cat >judge.py <<'P'
import importlib.util, sys
import torch
sys.path.insert(0, sys.argv[2])
spec = importlib.util.spec_from_file_location("pick", sys.argv[1])
pick = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pick)
torch.manual_seed(1)
probs = torch.rand(3, 40) + 0.1
probs /= probs.sum(-1, keepdim=True)
top = torch.where(probs >= probs.topk(20).values[:, -1:], probs, 0 * probs)
def draws(weights, count=500):
    return torch.multinomial(weights, count, replacement=True).T
def says(what, out):
    print("%s: %s" % (what, pick.assay_accept({"probs": probs, "n": 3, "v": 40}, {"out": out}, None)))
says("by the weights", draws(top))
says("one launch", draws(top, 1))
says("the most likely", top.argmax(-1).expand(500, 3))
says("all, and not the 20 largest", draws(probs))
says("19 of them", draws(torch.where(top > top.topk(19).values[:, -1:], top, 0 * top)))
says("by fourth powers", draws(top ** 4))
says("every row as the first", draws(top[:1].expand(3, 40)))
says("beyond the last", draws(top) + 40)
def gumbel(probs):
    return (probs.log() - torch.empty_like(probs).exponential_().log()).argmax(-1)
import assay_drawn, assay_draws, numpy as np
def refused(function):
    try:
        with assay_draws.Seeded(may_draw=False):
            function()
    except assay_draws.Mismatch:
        return True
    return False
print([refused(f) for f in (lambda: np.random.default_rng(), lambda: np.random.default_rng(1).random(), lambda: torch.rand(2), lambda: torch.zeros(2))])
try:
    assay_drawn.Accept(gumbel, ["probs"], ["out"])({"probs": probs}, {"out": draws(top)}, None)
except assay_drawn.Unclear as error:
    print(error)
P
"$python" judge.py cache/assay/datasets/*/pick.py "$ASSAY_SOURCE/peers"
