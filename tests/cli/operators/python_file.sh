# An operator declared by a Python file of two functions: in the manifest, and on a command line. No package is needed where the file
# says its outputs.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH # no script that starts it
mkdir ops
cat >ops/shift.py <<'P'
print("a line of the file's own")
OFFSET = 1

def inputs(rows=64, hidden=256, groups=8, eps=0.5, scale=2.0):
    assert hidden % groups == 0
    if groups > 128:
        raise ValueError("too many groups")
    return {
        "x": f"fp32[{rows}, {hidden}]",
        "table": f"int32[{rows + OFFSET}] indptr({rows * 2})",
        "weight": f"fp32[{hidden // groups}] normal(1, 0.1)",
        "bias": None,
        "eps": eps,
        "block": hidden // groups,
        "scale": scale,
    }

def reference(x, table, weight, eps, bias=None):
    raise RuntimeError("is not run where outputs are said")

def outputs(rows, hidden):
    return {"y": f"fp32[{rows}, {hidden}]", "table": None}

problems = [{"rows": 17}, {"rows": 1, "hidden": 64, "eps": 1e-5}, {}]
tolerance = {"atol": 2e-3, "two_x": False, "why": "sums in fp16"}

def flops(rows, hidden):
    return 4 * rows * hidden

bytes = "8 * rows * hidden"
P
assay list operators ops/shift.py | grep shift
assay list suites ops/shift.py | grep shift
assay list problems ops/shift.py
assay list problems ops/shift.py --problem rows=5,scale=0.25
assay list problems ops/shift.py --problem hidden=12 2>&1
assay list problems ops/shift.py --problem shift/rows7,shift/rows8 --json | grep '"name"'
echo "--- in a manifest, which may be elsewhere"
mkdir else && cat >assay.yaml <<'Y'
version: 1
operators: {shift: ops/shift.py, moved: ops/shift.py}
suites: {pr: {from: shift, only: [rows17]}}
Y
assay list problems --suite pr
assay list problems --suite moved
(cd else && assay list problems ../ops/shift.py)
cp ops/shift.py else/
assay list problems else/shift.py 2>&1 | sed "s,$PWD,HERE,g"
sed -i 's/^/# /; 1i version: 1' assay.yaml
(cd ops && assay list problems shift.py)
echo "--- sizes that need numbers are fitted"
cat >ops/paged.py <<'P'
def inputs(batch=4, context=512, page=16, heads=8):
    blocks = -(-int(context) // int(page))
    return {
        "q": "bf16[%d, %d]" % (batch, heads * 128),
        "cache": "bf16[%d, %d]" % (batch * blocks, page),
        "table": "int32[%d, %d] unique(%d)" % (batch, blocks, batch * blocks),
        "starts": "int32[%d] indptr(%d)" % (batch + 1, batch * context),
        "least": "fp32[%d]" % min(batch, heads),
    }

def reference(q, cache, table, starts, least):
    return q

outputs = {"out": "bf16[batch, heads * 128]"}
P
assay list problems ops/paged.py --problem batch=3,context=100,page=7 --json | grep '"bytes"' 
echo "--- what is right of results is said in outputs"
cat >ops/top.py <<'P'
def inputs(rows=8, columns=64, k=4):
    assert k <= columns
    return {"x": f"fp32[{rows}, {columns}]", "salt": "int32[1] below(9) ignored", "k": k}

def reference(x, k):
    return x, x

outputs = {"values": "fp32[rows, k]", "indices": "int32[rows, k] picks(x, values)"}
P
assay list operators ops/top.py | grep top
sed -i 's/picks(x/picks(z/' ops/top.py
assay list operators ops/top.py 2>&1
