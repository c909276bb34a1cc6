# campaign: real gates; explain/gate_sim and explain/compare take the same paths
# A gate that finds a kernel slower says what moved, without being asked.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i "s/#define EXTRA_ROWS 0/#define EXTRA_ROWS 2/" csrc/mine.c
report_of gate --baseline git:HEAD --rounds 5 >out; code=$?
grep -E '^What moved on' out | sed 's/(.*//' | sort
grep -c '"explanation"' runs/*/result.json
assay report runs/*/result.json --format markdown | grep -c 'What moved on'
exit $code
