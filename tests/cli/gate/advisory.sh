# Whoever begins softly: the report as ever, and exit code 0. What cannot be run is still an error.
cat >assay.yaml <<'Y'
version: 1
kernels:
  base: {operator: attention, backend: sim, sim: {base_us: 50}}
  slow: {operator: attention, backend: sim, sim: {base_us: 60}}
Y
for options in "" --advisory; do
    report_of gate --device sim:steady --candidate slow --baseline base --no-store $options >out 2>err
    echo "exit $?, $(grep -c 'regression$' out) regressions; $(grep advisory err)"
done
report_of gate --device sim:steady --candidate none --baseline base --advisory >out 2>err
echo "exit $?"
