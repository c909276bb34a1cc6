# The plugin: what fails a test, and one gate over all marked tests, alone and beside two workers of pytest-xdist.
. "$ASSAY_SOURCE/tests/cli/module/_python.sh" xdist
cat >assay.yaml <<'Y'
version: 1
kernels:
  right: {operator: scale, backend: sim, sim: {base_us: 100}}
  slower: {operator: scale, backend: sim, sim: {base_us: 105}}
  dies: {operator: scale, backend: sim, sim: {base_us: 100, crash_at_launch: 1}}
suites:
  pr: {problems: {a: scale/fp32/n64, b: scale/fp32/n65}}
gate: {suite: pr, check: pr}
Y
cat >test_kernels.py <<'P'
import pytest
SIM = {"device": "sim:steady", "suite": "pr"}

@pytest.mark.assay_gate
@pytest.mark.parametrize("kernel", ["right", "slower"])
def test_marked(assay, kernel):
    assert assay.check(kernel, **SIM).ok

def test_dies(assay):
    assay.check("dies", **SIM)

@pytest.mark.assay_gate
def test_dies_marked(assay):
    assay.check("dies", **SIM)

def test_gate(assay):
    assay.gate("slower", baseline="right", device="sim:steady")

def test_bench_and_compare(assay, tmp_path):
    run = assay.bench("right", vs="slower", rounds=1, **SIM)
    assert [side.label for side in run.sides] == ["right", "slower"]

def test_no_answer(assay):
    assay.check("nobody", **SIM)
P
cleaned() { sed -E 's/[+][45][.][0-9] %/5 %/; s/ in [0-9.]+s//; /^\[gw[0-9]\]/d' | grep -vE '^(=+ FAILURES|bringing up|$)'; }
pytest() { python3 -m pytest -q "$@" >said 2>&1; echo "exit $?" >>said; cleaned <said; }
pytest
echo "--- gates"
pytest -k marked --assay-gate=right -n 2 | sed -n '/assay gate against/,$p'
pytest -k 'marked and right' --assay-gate=right | sed -n '/assay gate against/,$p'
pytest -k 'marked and right' --assay-gate=nothing | sed -n '/assay gate against/,$p'
pytest -k bench --assay-gate=right | sed -n '/assay gate against/,$p'
