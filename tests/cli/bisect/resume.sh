# Killed in the middle of a gate, and again between two: --resume goes on with what there is, and finds the same.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 32 20
bisect good..HEAD --quiet --output-dir whole >/dev/null
for kill_after in 3 1; do
    if [ $kill_after = 3 ]; then set -- good..HEAD; else set -- --resume last; fi
    assay bisect --device sim:steady ${1:+"$@"} $([ $kill_after = 3 ] && echo --problem scale/fp32/n64) >lines 2>&1 &
    pid=$!
    until [ "$(grep -cs '^gate' lines)" -ge $kill_after ] || ! kill -0 $pid; do sleep 0.02; done 2>/dev/null
    kill -9 $pid; wait $pid 2>/dev/null
done
no_workers
/usr/bin/python3 -c '
import glob, json
record = json.load(open(glob.glob("runs/*/bisect.json")[0]))
assert "outcome" not in record and len(record["steps"]) >= 2, record'
report_of bisect --resume last >out; echo "exit $?"
sed -n 2p out | plain
/usr/bin/python3 - <<'P'
import glob, json
whole, resumed = (json.load(open(glob.glob(folder + "/*/bisect.json")[0])) for folder in ("whole", "runs"))
commits = [[step["commit"] for step in record["steps"]] for record in (whole, resumed)]
print("the same commits:", commits[0] == commits[1], len(commits[0]))
P
report_of bisect --resume last | cmp - out && echo "again: the same page"
