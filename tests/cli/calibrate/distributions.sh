# slow with sanitizers: calibrate/steady and bench/distributions take the path
# A problem with two input distributions is two rows of a calibration, and a gate finds each.
export XDG_CACHE_HOME=$PWD/cache
cat >assay.yaml <<'Y'
version: 1
kernels:
  one: {operator: attention, backend: sim, sim: {base_us: 100}}
suites:
  two: {problems: {plain: attention/fp32/b1/h1/s16/d16, mixed: {problem: attention/fp32/b1/h1/s16/d16, distribution: mixed}}}
Y
study() { report_of calibrate --device sim:promise --kernel one --suite two "$@" >out; echo "exit $?"; grep -ho '"problem": "[^"]*"' cache/assay/calibrations/*.json; }
judged() { report_of gate --device sim:promise --candidate one --baseline one --measure-same --no-check --suite two 2>&1 | grep -oE 'on (all problems|1 of 2 problems)'; }
study --only plain
judged
study
judged
sed -i 's/ mixed"/ nosuch"/' cache/assay/calibrations/*.json
report_of calibrate --device sim:promise --kernel one --suite two 2>&1 | grep -o "unknown input distribution 'nosuch'"
