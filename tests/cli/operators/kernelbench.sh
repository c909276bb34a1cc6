# slow: PyTorch is loaded for every command
# A problem of KernelBench's form is an operator, its model's parameters are inputs; a file with ModelNew is a kernel.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" torch
"$python" "$ASSAY_SOURCE/tests/cli/operators/_kernelbench.py" "$ASSAY_SOURCE/peers" || exit
printf 'version: 1\npython_interpreter: %s\n' "$python" >assay.yaml
cat >1_Scaled.py <<'P'
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.norm = nn.BatchNorm1d(features, eps=eps)
        self.out = nn.Linear(features, 24)

    def forward(self, x, rounds, scale):
        return torch.relu(self.out(self.norm(x)) * scale) + rounds

def get_inputs():
    return [torch.rand(16, 32), 3, 0.5]

def get_init_inputs():
    return [32, 1e-3]
P
cat >scaled.py <<'P'
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.a = nn.BatchNorm1d(features, eps=eps)  # other names, the same order
        self.b = nn.Linear(features, 24)

    def forward(self, x, rounds, scale):
        return torch.relu(self.b(self.a(x)) * scale) + rounds

class ByAddress(ModelNew):
    kept = {}

    def forward(self, x, rounds, scale):
        if x.data_ptr() not in self.kept:
            self.kept[x.data_ptr()] = super().forward(x, rounds, scale)
        return self.kept[x.data_ptr()].clone()

class WithoutNorm(ModelNew):
    def forward(self, x, rounds, scale):
        return torch.relu(self.b(x) * scale) + rounds

class Fewer(nn.Module):
    def __init__(self, features, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(24, features))
P
# All sides of a bench are checked in one process.
assay bench 1_Scaled.py --kernel scaled.py --vs reference,scaled:ByAddress,scaled:WithoutNorm,scaled:Fewer \
    --isolation none --rounds 1 --iters 5 --sample-time 0.2ms >out 2>&1
sed -n '/^Checked/,/^$/p' out | grep '^[a-z.:A-Z]*: [0-9]'
grep -o 'Fewer has the parameters.*' out | sort -u
echo "--- not like this"
assay bench 1_Scaled.py --kernel nowhere.py 2>&1 | sed "s,$PWD,HERE,g"
printf 'def inputs(n=4): return {"x": f"fp32[{n}]"}\ndef reference(x): return x\noutputs = {"y": "fp32[n]"}\n' >plain.py
assay fuzz plain.py --kernel scaled.py 2>&1
sed 's/torch.rand(16, 32), 3/[torch.rand(16, 32)], 3/' 1_Scaled.py >listed.py
assay list operators listed.py 2>&1
sed 's/    return \[torch.rand/    while True: pass\n&/' 1_Scaled.py >hangs.py
echo 'limits: {reference_s: 3}' >>assay.yaml
assay list operators hangs.py 2>&1
