# A gate that finds a kernel slower says what moved, without being asked; with --explain it does so on every problem. A simulated device
# has no counters: it is not explained unasked, and the exit code is the same.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; sed -i "s/#define EXTRA_ROWS 0/#define EXTRA_ROWS 2/" csrc/mine.c
assay gate --baseline git:HEAD --rounds 5 --quiet >out; code=$?
grep -E '^What moved on' out | sed 's/(.*//' | sort
grep -c '"explanation"' runs/*/result.json
assay report runs/*/result.json --format markdown | grep -c 'What moved on'
cd .. && mkdir sim && cd sim && sim_project
sed -i 's/base_us: 100/base_us: 130/' assay.yaml
sim_gate >out; echo "simulated: $?"
grep -c 'What moved' out
sim_gate --explain >out; echo "asked: $?"
grep -E '^- no counters' out | sort -u
exit $code
