# A candidate that supports none of the matrix ends the gate before anything is measured: nothing could make it pass.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
sed -i 's/check: tiny/check: half/; s|^suites:|suites:\n  half: {problems: {a: attention/fp16/b1/h2/s64/d64, b: {problem: attention/fp16/b48/h16/s640/d64, memory_layout: padded}}}|' assay.yaml
slow_down
TIMEFORMAT="%U %S"
{ time report_of gate --baseline git:HEAD --policy candidate >report; } 2>used
echo "exit $?"
grep -E '^(the candidate|problem|a |b |- )' report
awk '{ print $1 + $2 < 5 ? "no reference was computed" : "used " $1 + $2 " s of a processor" }' used
