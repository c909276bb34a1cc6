# A kernel that never returns is shrunk with the limit of the run, and the sentence is of the smaller problem.
cat >assay.yaml <<'Y'
version: 1
limits: {case_s: 0.3}
Y
assay fuzz --device sim:steady --kernel sim_hanging --problem scale/fp32/n3 >out; echo "exit $?"
grep -A1 "smallest problem" out
