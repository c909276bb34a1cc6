# limits.gate_s passes while the matrix is checked: nothing was measured, which is a decision with a report and a result.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; printf 'limits: {gate_s: 1}\n' >>assay.yaml; slow_down
assay gate --baseline git:HEAD --check fuzz >out; code=$?
grep -o 'the time of the run was over after 0 valid rounds: resume it' out
grep -o 'the time limit of the run.*--resume' out
python3 -c "
import glob, json
d = json.load(open(glob.glob('runs/*/result.json')[0]))['decision']
print(d['exit_code'], d['verdict'] in ('undecidable', 'invalid'), len(d['cases']))"
ls runs/*/report.md | wc -l
exit $code
