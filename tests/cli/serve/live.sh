# A run that is going on is in the live view with its progress; once it is over it is not. The server changes nothing in its folder.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
printf 'version: 1\nkernels: {}\n' >assay.yaml
assay serve token add ci >/dev/null 2>&1 || complain "a token makes no store"
start_server
assay bench --device sim:steady --kernel sim --quiet >/dev/null 2>&1 || complain "the bench failed"
expect 200 "$url/api/v1/live"
grep -q '"runs": *\[\]' answer || complain "a finished run is live: $(cat answer)"
# the run as it was in its middle: no result yet, half of the journal, and somebody holds its lock
run=$(ls -d runs/*-bench-*)
mv "$run/result.json" kept.json
python3 - "$run/journal.jsonl" <<'P'
import sys
with open(sys.argv[1], "rb") as file:
    lines = file.readlines()
with open(sys.argv[1], "wb") as file:
    file.writelines(lines[:len(lines) // 2] + [lines[len(lines) // 2][:40]])
P
sha256sum "$run"/*.json* >before
curl -s "$url/api/v1/live" | grep -q '"runs": *\[\]' || complain "a run that nobody carries out is live"
exec 7>>"$run/lock"
flock -n 7 || complain "the lock is held"
curl -s "$url/api/v1/live" >live
python3 - "$(basename "$run")" <<'P' || failed=1
import json, sys
runs = json.load(open("live"))["runs"]
assert len(runs) == 1 and runs[0]["run_id"] == sys.argv[1], runs
run = runs[0]
assert 0 < run["done"] < run["total"] == 10 and run["round"] == run["rounds"] == 1 and run["left_s"] >= 0, run
assert run["problem"].startswith("scale/") and "bench" in run["command"], run
P
exec 7>&-
sha256sum -c --quiet before || complain "the server changed the run's folder"
stop_server
exit $failed
