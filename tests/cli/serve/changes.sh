# What changed, over HTTP: a planted step of 8 % is the list's first change, with its runs, by time where they have no commit; filters and
# pages; parameters that are wrong; an upload is seen at once; names that are markup come back as text. Problems are in natural order.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
for base in 100 108 92; do
    cat >assay.yaml <<Y
version: 1
kernels: {mine: {operator: scale, backend: sim, sim: {base_us: 100, slower_on: scale/fp32/n1024, slower_pct: $((base - 100))}}}
suites: {pr: {problems: {a: scale/fp32/n112, b: scale/fp32/n1024, c: scale/fp32/n10112}}}
Y
    assay bench --device sim:steady --kernel mine --suite pr --iters 20 --quiet --no-store --output bench$base.json >/dev/null 2>err ||
        complain "the bench failed: $(cat err)"
done
python3 - <<'P'
import json, os
for i in range(24):
    run = json.load(open("bench108.json" if i >= 10 else "bench100.json"))
    run.update(run_id=f"run-{i:02d}", created_utc=f"2026-01-{i + 1:02d}T12:00:00Z", suite="<script>alert(1)</script>")
    run["sides"][0]["label"] = "<b>mine"
    os.makedirs(f"early/{i}")
    json.dump(run, open(f"run{i}.json" if i > 20 else f"early/{i}/result.json", "w"))
P
assay history import early >/dev/null 2>err || complain "the import failed: $(cat err)"
token=$(assay serve token add ci 2>/dev/null)
start_server
python3 - "$url" "$token" <<'P' || failed=1
import json, sys, urllib.parse, urllib.request
url, token = sys.argv[1:]
def get(path, **parameters):
    query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
    return json.load(urllib.request.urlopen(f"{url}/api/v1/{path}{query}"))
answer = get("changes")
assert answer["total"] == len(answer["changes"]) == answer["slower_count"] == 1, answer
assert answer["faster_count"] == 0 and answer["side_count"] == 3, answer
one = answer["changes"][0]
assert one["problem"] == "scale/fp32/n1024" and one["side"] == "<b>mine" and one["suite"] == "<script>alert(1)</script>", one
assert one["kernel"] == "mine" and one["metric"] == "time" and one["device"], one
assert one["commit_before"] is None and one["commit_after"] is None and one["branch"] is None, one
assert one["run_before"] == "run-09" and one["run_after"] == "run-10", one
assert one["created_before_utc"] == "2026-01-10T12:00:00Z" and one["created_after_utc"] == "2026-01-11T12:00:00Z", one
assert 7.5 < one["low_pct"] <= one["change_pct"] <= one["high_pct"] < 8.5 and one["p_value"] < 0.01, one
assert abs(one["median_after_ns"] / one["median_before_ns"] - 1.08) < 0.005, one
assert one["result_count"] == 21 and one["step_count"] == 1, one
history = get("history", problem=one["problem"], side=one["side"], device=one["device_uuid"], metric="time", limit=100)
change = history["change_points"][0]
assert len(history["change_points"]) == 1 and change["index"] == 10, history["change_points"]
for key in change.keys() - {"index"}:
    assert change[key] == one[key], f"the history has another {key}: {change[key]}, not {one[key]}"
for wanted, parameters in (1, {"direction": "slower", "q": "n1024", "side": "mine"}), (0, {"direction": "faster"}), (1, {"side": "<b>mine"}), \
        (0, {"q": "n112"}), (0, {"branch": "main"}), (1, {"suite": "<script>alert(1)</script>"}), (1, {"since": "2026-01-11"}), \
        (0, {"since": "2026-01-12"}), (1, {"device": one["device"]}), (0, {"device": "none"}), (0, {"metric": "instructions"}):
    assert get("changes", **parameters)["total"] == wanted, parameters
assert get("changes", offset=1)["changes"] == [] and get("changes", offset=1)["total"] == 1
rows = get("problems")["problems"]
assert [row["problem"] for row in rows] == ["scale/fp32/n112", "scale/fp32/n1024", "scale/fp32/n10112"], "no natural order"
assert [row["change_count"] for row in rows] == [0, 1, 0] and rows[1]["last_change_pct"] == one["change_pct"], rows
assert len(rows[1]["trend"]) == 21 and rows[1]["trend"][-1] == rows[1]["last"]["median_ns"], rows[1]
assert get("problems", changed=1) == {"problems": [rows[1]], "total": 1}
assert get("problems", sort="trend", order="descending")["problems"][0] == rows[1]
assert get("problems", sort="problem", order="descending")["problems"] == rows[::-1]
# the third run at a level makes a change of it
def put(i):
    request = urllib.request.Request(url + "/api/v1/results", open(f"run{i}.json", "rb").read(), {"Authorization": f"Bearer {token}"}, method="PUT")
    assert urllib.request.urlopen(request).status == 201
for i in 21, 22, 23:
    run = json.load(open(f"run{i}.json"))
    run["cases"] = json.load(open("bench92.json"))["cases"]
    json.dump(run, open(f"run{i}.json", "w"))
    put(i)
    answer = get("changes")
    assert answer["total"] == (2 if i == 23 else 1), f"after run {i}: {answer}"
newest = get("changes", limit=1)
assert newest["total"] == 2 and newest["slower_count"] == newest["faster_count"] == 1, newest
assert newest["changes"][0]["run_after"] == "run-21" and newest["changes"][0]["change_pct"] < -7, newest
assert get("problems", changed=1)["problems"][0]["change_count"] == 2
P
for query in direction=up verdict=regression limit=0 limit=1001 limit=x offset=-1 since=yesterday q=1\&q=2 q=%ff; do
    expect 400 "$url/api/v1/changes?$query"
done
for query in sort=speed order=up changed=yes; do expect 400 "$url/api/v1/problems?$query"; done
grep -q "changed is 1" answer || complain "not said what changed takes: $(cat answer)"
expect 404 "$url/api/v1/changes/1"
expect 405 -X DELETE "$url/api/v1/changes"
expect 200 "$url/problems"
grep -q '<main' answer || complain "/problems is no page"
assay history prune --before 2026-01-05 >/dev/null || complain "the prune failed"
expect 200 "$url/api/v1/changes"
grep -q '"result_count":20' answer || complain "removed runs count: $(cat answer)"
stop_server
exit $failed
