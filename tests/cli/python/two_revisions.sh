# two revisions of one module in one process: each imports the other files of its own revision, also late
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
echo 'FACTOR = 1.0' >kern/parts.py
cat >kern/scaled.py <<'P'
import kern.plain as plain
from kern.parts import FACTOR


def forward(problem, inputs, outputs, stream):
    from kern import parts
    plain.forward(problem, inputs, outputs, stream)
    out = outputs.out.memory().cast("f")
    for i in range(len(out)):
        out[i] *= FACTOR * parts.FACTOR
P
sed -i 's/^  needs:/  scaled: {operator: attention, backend: cpu, python: "kern.scaled:forward"}\n  needs:/' assay.yaml
git init -q -b main . && git config user.email t@example.org && git config user.name tester
echo 'runs/' >.gitignore && git add -A && git commit -qm "first"
echo 'FACTOR = 1.5' >kern/parts.py
for isolation in process none; do
    assay gate --isolation $isolation --candidate scaled --baseline git:HEAD >../out 2>&1
    echo "exit $?"
    grep -E 'passed|separate processes' ../out
done
git status --short
# one that registers its name can be there once in a process: isolated sides have one each, others get workers of their own
cat >>kern/parts.py <<'P'
import builtins
if hasattr(builtins, "the_only_one"):
    raise RuntimeError("registered twice")
builtins.the_only_one = True
P
sed -i 's/1.5/1.0/' kern/parts.py && git commit -qam "second" && sed -i 's/1.0/1.5/' kern/parts.py
for isolation in process none; do
    assay gate --isolation $isolation --candidate scaled --baseline git:HEAD >../out 2>&1
    echo "exit $?"
    grep -E 'passed|separate processes' ../out
done
