# Hidden in the rounding of a right kernel: 1 where no other problem of the matrix detects it, 0 where one does.
cat >assay.yaml <<'Y'
version: 1
suites:
  both: {problems: {causal: attention/fp16/b1/h2/s257/d64/causal, full: attention/fp16/b1/h2/s257/d64}}
Y
report_of fuzz --audit --distribution sink --suite both --only causal >out; echo "alone: exit $?"
grep -A3 last_key_lost out | tail -4
report_of fuzz --audit --distribution sink --suite both >out; echo "with one that detects it: exit $?"
tail -1 out
