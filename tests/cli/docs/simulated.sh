# slow: repeats the paths of calibrate and sim
# The blocks of docs/simulation.md and docs/calibrating.md show what assay prints for simulated devices, every figure.
export XDG_CACHE_HOME=$PWD/cache
docs=$ASSAY_SOURCE/docs
shown() { python3 "$ASSAY_SOURCE/tests/cli/docs/_shown.py" "$docs/$1" "$2"; }
assay calibrate --device sim:promise --runs 2 2>/dev/null | shown calibrating.md 'device    sim:promise, 1 thread: simulated: samples spread by 1 %, processes by 2 %: ...'
assay calibrate --device sim:drifting --quiet >/dev/null
report_of gate --device sim:drifting --candidate sim_slower5 --baseline sim |
    shown calibrating.md "not measured, since this machine cannot detect a change of the threshold's size: 10 undecidable (exit 3)"
python3 - "$docs/simulation.md" >assay.yaml <<'PYTHON'
import re, sys
print(re.search(r"^```yaml\n(.*?)^```", open(sys.argv[1]).read(), flags=re.M | re.S).group(1))
PYTHON
report_of gate --device sim:lab --only p0,p1,p2 | shown simulation.md 'assay: after against before'
