# The module: results become dataclasses with every member, a program of another version may have more, and errors have sentence and code.
# Kernels are simulated; functions of files are docs/python_module's.
. "$ASSAY_SOURCE/tests/cli/module/_python.sh"
mkdir -p sub pack && : >pack/__init__.py
printf 'def kernel(x):\n    return x\n\ndef make():\n    def inner(x):\n        return x\n    return inner\n' | tee pack/deep.py >sub/flat.py
cat >module.py <<'P'
import dataclasses, json, subprocess, sys
sys.path.insert(0, "sub")
import assay, flat, pack.deep
from assay import _program

def members(cls, document, where="result"):
    """Members of a document that its dataclass lacks, or has not read."""
    for name, value in document.items():
        one = getattr(cls, name + "_" if name == "from" else name, None)
        if one is None:
            print("not read:", where, name)
        for inner, text in zip(one, value) if isinstance(value, list) else [(one, value)]:
            if isinstance(text, dict) and dataclasses.is_dataclass(inner):
                members(inner, text, name)

def refused(call, *arguments, **options):
    try:
        print(call(*arguments, **options))
    except assay.Error as error:
        print(error.exit_code, str(error).splitlines()[0][:100])

run = assay.gate("sim_slower5", baseline="sim", device="sim:promise", suite="sim", only=["p0", "p1"])
print(run, end="") if run.exit_code != 1 else print(run.ok, run.decision.verdict, run.decision.sentence)
members(run, run.json)
print(run.sides[0].label, run.cases[0].rounds[0].samples[0].duration_ns[0] > 0, run.sampling.isolation)
again = assay.check("sim", device="sim:promise", suite="sim")
members(again, again.json)
print(again.ok, again.smallest, len(again.checks), repr(again).replace(again.run_id, "ID"))
bench = assay.bench("sim", vs=["sim_slower5"], device="sim:promise", suite="sim", only=["p0"], rounds=1)
members(bench, bench.json)
print([(side.label, 8e4 < figures.median_ns < 12e4) for side, figures in zip(bench.sides, bench.cases[0].summary)])
json.dump(dict(run.json, unknown={"member": 1}), open("new.json", "w"))
json.dump(run.json, open("old.json", "w"))
same = assay.compare("old.json", "new.json", kernel="sim_slower5")
members(same, same.json)
print(repr(same), same.exit_code, same.format, same.cases[0].verdict)
for shown in (run, same):
    page = shown._repr_html_()
    print(page[:18], page.count("&lt;svg") > 0, "</iframe>" in page)
print(_program.kernel_of(flat.kernel)[0], _program.kernel_of(pack.deep.kernel)[0])
print(_program.arguments_of({"rounds": 5, "no_check": True, "quiet": False, "only": ("a", "b"), "arch": None}))
refused(assay.check, lambda x: x)
refused(assay.check, flat.make())
refused(assay.check, len)
refused(assay.check, 7)
here = lambda x: x
exec("def cell(x):\n    return x\n", vars(sys.modules["__main__"]))
file = sys.modules["__main__"].__dict__.pop("__file__")
refused(assay.check, cell)
refused(assay.check, "nothing_of_this_name")
refused(assay.check, "sim", device="sim:promise", colour="red")
refused(assay.compare, "old.json", "missing.json")
P
python3 module.py
ASSAY_PYTHON_MODULE=1 python3 -c 'import assay; assay.check("sim")' 2>&1 | tail -1
ASSAY=$PWD/none python3 -c 'import assay; assay.check("sim")' 2>&1 | tail -1 | sed "s|$PWD|HERE|"
env -u ASSAY PATH="$PWD/bin" python3 -c 'import assay; assay.check("sim")' 2>&1 | tail -1
"$ASSAY_SOURCE/scripts/document_classes.py" --check
