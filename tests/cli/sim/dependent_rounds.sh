# long: two gates and two calibrations to tell chance from dependence
# A state of the machine that outlives processes: a gate warns that rounds are like the ones before them, and calibrate says so.
export XDG_CACHE_HOME=$PWD/cache
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:sticky": {clock_mhz: 1500, noise: {cv_pct: 0.5, process_pct: 2, process_ar1: 0.9}}
Y
gate() { report_of gate --candidate sim --baseline sim --measure-same --no-check "$@" | grep -oE 'rounds are like the ones before them|wrong verdicts may be more frequent than promised'; }
echo "sticky:"; gate --device sim:sticky --rounds 20
echo "noisy:"; gate --device sim:promise --rounds 20
report_of calibrate --device sim:sticky >calibrated; grep -E '^(Rounds|so wrong)' calibrated
report_of calibrate --device sim:promise | grep -E '^(Rounds|so wrong)'
