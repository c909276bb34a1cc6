# A function `accept` of the operator's file says what is right where no number does: of ties, another order. It decides alone; one that
# accepts wrong results is named, and against a revision the revision's decides.
for python in python3 /usr/bin/python3; do "$python" -c 'import numpy' 2>err && break; done
[ ! -s err ] || { echo "SKIPPED: no Python with NumPy"; exit 0; }
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
rm assay.yaml
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p ops bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
cat >topk.txt <<'P'
import numpy as np

def inputs(n=32, scale=2.0, biased=True):
    return {"x": f"fp32[{n}] exact", "scale": scale, "biased": biased}

def reference(x, scale, biased):
    indices = np.argsort(-x, kind="stable")[:len(x) // 4 + 1]
    values = x[indices] * scale
    return {"values": values + 1 if biased else values, "indices": indices.astype(np.int32)}

P
file() { cp topk.txt "ops/$1.py"; printf 'def accept(inputs, outputs, expected):\n%s\n' "$2" >>"ops/$1.py"; }
values='    if not np.array_equal(outputs["values"], expected["values"].astype(np.float32)): return "the values are not the largest, in order"'
picked='    if len(set(indices.tolist())) < len(indices): return "an index is there twice"
    if not np.array_equal(x[indices] * inputs["scale"] + (inputs["biased"] is True), outputs["values"]): return "indices do not pick the values"'
file topk "$values
    x, indices = inputs[\"x\"], outputs[\"indices\"]
$picked"
cat >mine.py <<'P'
import numpy as np

def topk(x, scale, biased):
    indices = (len(x) - 1 - np.argsort(-x[::-1], kind="stable")[:len(x) // 4 + 1]).astype(np.int32)
    values = x[indices] * np.float32(scale)
    return values + 1 if biased else values, indices  # the last of equal ones

def twice(x, scale, biased):
    values, indices = topk(x, scale, biased)
    indices[-1] = indices[0]
    return values, indices

def outside(x, scale, biased):
    values, indices = topk(x, scale, biased)
    indices[0] = 1 << 30
    return values, indices
P
fuzz() { assay fuzz "ops/$1.py" --kernel "mine:$2" "${@:3}" >out 2>&1; echo "$1, $2: exit $?"; sed '/^results: /d; /repeat: /d; /^$/d; s/ (abs .*//; /^kernel 1/d' out; }
one=(--problem n=5)
fuzz topk topk --quiet
fuzz topk twice "${one[@]}"
fuzz topk outside "${one[@]}" | head -3
echo "--- it accepts what is wrong"
file some "$values"
fuzz some topk --quiet
assay fuzz ops/some.py --audit --suite some | grep -A3 'zeros passes'
echo "--- mistakes"
mistake() { file one "    $1"; fuzz one twice "${one[@]}" | sed -n 's/.*INVALID //p'; }
mistake 'return inputs["y"]'
mistake 'return np.bool_(False)'
mistake 'return outputs["values"] == expected["values"]'
mistake 'outputs["values"][:] = 0'
declared() { cp topk.txt ops/one.py; printf '%s\n' "$1" >>ops/one.py; assay list operators ops/one.py 2>&1 | grep error; }
declared 'accept = True'
declared 'def accept(inputs, outputs): return None'
declared "$(printf 'def accept(i, o, e): return None\ntolerance = {"atol": 1, "why": "wide"}')"
declared "$(printf 'def accept(i, o, e): return None\noutputs = {"values": "fp32[n // 4 + 1]", "indices": "int32[n // 4 + 1] picks(x)"}')"
echo "--- against a revision"
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
file topk '    return None'
sed -i 's/^def topk/def right/; s/= topk(/= right(/; s/^def twice/def topk/' mine.py
assay gate ops/topk.py --candidate mine:topk --baseline git:HEAD --problem "${one[1]}" --check topk --rounds 5 --iters 5 --sample-time 0.1ms >out 2>err
echo "exit $?"; grep -o "'accept' refuses.*" out | sort -u
python3 - <<'P'
import glob, json
print([change["setting"] for change in json.load(open(glob.glob("runs/*gate*/result.json")[0]))["policy"]["changes"]])
P
