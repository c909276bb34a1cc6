# Inputs that an operator's Python file makes as data: block tables, masks. The reference's process makes them, with seeds of assay's.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" numpy
rm -f assay.yaml
python=$("$python" -c 'import sys; print(sys.executable)')
mkdir -p ops bin && ln -s "$python" bin/python3 && export PATH=$PWD/bin:$PATH
cat >ops/gather.py <<'P'
import numpy as np

problems = [{"rows": 7}, {"rows": 30}]

def inputs(rows=16, pages=24, hidden=8):
    table = np.random.permutation(pages)[:rows].astype(np.int32)
    if rows > pages: # behind what needs numbers it is no rule
        raise ValueError("more rows than pages")
    return {"x": f"fp32[{pages}, {hidden}]", "table": table}

def reference(x, table):
    return {"y": 2 * x[table]}
P
cat >mine.py <<'P'
import numpy as np

def gather(x, table):
    return 2 * x[table]

def first(x, table):
    return 2 * x[:len(table)]

def rows(values, offsets):
    assert offsets[-1] == len(values) # not in the call before there are data
    return np.add.reduceat(values, offsets[:-1])

def masked(x, mask):
    return mask.astype(np.float32) @ x
P
run() { assay fuzz "ops/$1.py" --kernel "mine:$2" "${@:3}" >out 2>err; echo "$1 $2 ${*:3}: $?"; sed '/^note: /d; /^kernel 1/d; s/^assay: error: //' err; }
run gather gather --suite gather # of one problem `inputs` refuses the sizes
sed -n 's/^\[.*\] //; /rows30/p' out
run gather first --problem rows=7 # the sizes do not tell that the table is not used
failed() { grep -m1 -o "'y'.* is .*, expected [^;]*" out; } # on the inputs that the seed gives
first=$(failed)
run gather first --problem rows=7
[ "$first" = "$(failed)" ] && echo "one seed, the same data"
run gather first --problem rows=7 --seed 6
[ "$first" = "$(failed)" ] || echo "another seed, other data"
assay fuzz ops/gather.py --audit --suite gather | grep -E '^table_ignored|wrong results'
# What has structure and is the same every time; offsets, which a launch on zeros would be no data for; a generator without a seed.
cat >ops/masked.py <<'P'
import numpy as np

def inputs(n=12, hidden=4):
    return {"x": f"fp32[{n}, {hidden}]", "mask": np.tril(np.ones((n, n), bool))}

def reference(x, mask):
    return {"y": mask.astype(x.dtype) @ x}
P
cat >ops/rows.py <<'P'
import numpy as np

def inputs(rows=6, n=40):
    assert rows < n
    cuts = np.sort(np.random.default_rng().choice(n - 1, rows - 1, replace=False)) + 1
    return {"values": f"fp32[{n}]", "offsets": np.concatenate([[0], cuts, [n]])}

def reference(values, offsets):
    return {"y": np.add.reduceat(values, offsets[:-1])}
P
run masked masked --problem n=12
grep '^inputs of' out
run rows rows --problem rows=3
sed -i 's/np.random.default_rng()/np.random.Generator(np.random.PCG64())/' ops/rows.py
run rows rows --problem rows=6
# The pool of data counts as memory that a problem takes.
cat >ops/wide.py <<'P'
import numpy as np

def inputs(rows=16):
    return {"x": f"fp32[{rows}]", "table": np.arange(rows, dtype=np.int32)}

def reference(x, table):
    return {"y": x[table]}
P
printf 'version: 1\nlimits: {memory_gb: 0.2}\n' >assay.yaml
assay fuzz ops/wide.py --kernel mine:gather --problem rows=5000000 2>&1 | grep -o 'the tensors.*' | sort -u
rm assay.yaml
# Of a problem that is timed all is there before the kernel is prepared: it looks for a child of the judge at each launch.
sed -n "/^looks='/,/^}'/p" "$ASSAY_SOURCE/tests/cli/operators/reference_alive.sh" | sed "s/^looks='//; s/^}'/}/" >mine.c
cat >>mine.c <<'C'
void gather(const float *x, const int *table, float *y, int rows, int hidden) {
    const int factor = count_children() ? 3 : 2;
    for (int i = 0; i < rows * hidden; ++i) y[i] = factor * x[table[i / hidden] * hidden + i % hidden];
}
C
cat >assay.yaml <<'Y'
version: 1
operators: {gather: ops/gather.py}
kernels: {mine: {operator: gather, source: mine.c, call: "gather(x, table, y, int rows, int hidden)"}}
Y
assay bench --kernel mine --isolation none --rounds 2 --iters 10 >out 2>&1; code=$?
[ $code = 3 ] && ! grep -i 'wrong\|fail' out && code=0 # right, and the machine was busy
echo "bench: $code"
# In a gate the check comes first, and leaves the pool for the rounds: it is there before the check is over.
assay gate --candidate mine --baseline mine --measure-same --output gate.json >gate.out 2>&1 & gate=$!
for _ in $(seq 400); do
    pools=$(grep -l '^asayinp$' runs/*-gate-*/references/* 2>/dev/null | wc -l)
    [ "$pools" = 0 ] && kill -0 $gate 2>/dev/null || break
    sleep 0.3
done
kill $gate 2>/dev/null
wait $gate 2>/dev/null
echo "pools of the gate: $pools"
