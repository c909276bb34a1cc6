# A failure that needs what was checked before it: its own command would pass, so the one that is printed names those problems, too.
cp -r "$ASSAY_SOURCE/tests/field" .
printf 'version: 1\nkernels:\n  plan_cache: {operator: attention, backend: cpu, source: field/plan_cache.c}\n' >assay.yaml
cat >>assay.yaml <<'Y'
suites:
  sizes:
    problems:
      a: attention/fp32/b1/h2/s33/d16
      b: attention/fp32/b1/h2/s65/d16
      c: attention/fp32/b1/h2/s40/d16
      d: attention/fp32/b1/h1/s33/d16/causal
      e: attention/fp32/b1/h1/s48/d16
Y
assay fuzz --kernel plan_cache --suite sizes >out
echo "exit $?"
grep -v '^results' out | sed 's/ (abs.*//; s/is .*, expected .* elements/.../'
eval "$(sed -n 's/^ *repeat: //p' out)" >again
echo "the printed command: exit $?"
sed -n 's/^ *repeat: //p' out | sed 's/problem [^ ]*,/problem /' >alone
eval "$(cat alone)" >again
echo "alone: exit $?"
assay fuzz --kernel plan_cache --problem attention/fp32/b1/h2/s33/d16,attention/fp32/b1/h2/s33/d16
echo "exit $?"
