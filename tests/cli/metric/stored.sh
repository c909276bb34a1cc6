# A stored baseline of another metric is refused before anything is measured, and two such files are not comparable.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project
measure() { assay bench --kernel mine --device sim:steady --suite pr --quiet "$@" >/dev/null || exit 9; }
measure --output time.json; measure --metric call_time --output call.json
report_of gate --device sim:steady --baseline call.json; echo "time against calls: $?"
report_of gate --device sim:steady --baseline call.json --metric call_time >out; echo "calls against calls: $?"
assay compare time.json call.json >out; echo "files: $?"; grep -m1 -o 'not comparable, .*' out
assay compare time.json call.json --allow-different metric; echo "lifted: $?"
sed 's/"metric": "call_time"/"metric": "instructions"/' call.json >counts.json
for one in call counts; do assay compare $one.json $one.json | grep -o 'Changes are of the [a-z]*'; done
