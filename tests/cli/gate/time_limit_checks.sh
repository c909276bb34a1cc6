# limits.gate_s passes while the matrix is checked (a kernel that never returns, with a longer limit of its own, so that the
# machine's speed does not matter): nothing was measured, which is a decision with a report and a result.
cat >assay.yaml <<'Y'
version: 1
kernels: {late: {operator: scale, backend: sim, sim: {base_us: 100, hang_at_launch: 4}}}
limits: {case_s: 60, gate_s: 1}
Y
assay gate --device sim:steady --candidate late --baseline sim --only p0,p1 >out; code=$?
grep -o 'the time of the run was over after 0 valid rounds: resume it' out
grep -o 'the time limit of the run.*--resume' out
grep -o 'the candidate passed .* before the time was over' out
python3 -c "
import glob, json
d = json.load(open(glob.glob('runs/*/result.json')[0]))['decision']
print(d['exit_code'], d['verdict'], len(d['cases']))"
ls runs/*/report.md | wc -l
exit $code
