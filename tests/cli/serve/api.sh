# Every route answers with what docs/serve.md says, and with strict headers; unknown paths, methods and parameters are refused.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
make_store
start_server
ids=$(curl -s "$url/api/v1/runs" | python3 -c 'import json, sys; print(*[r["run_id"] for r in json.load(sys.stdin)["runs"]])')
read -r gate bench <<<"$ids"
assay baseline set "$gate" --branch trunk >/dev/null
for page in / /problems /history /run /compare /live /profile /tuning /leaderboard; do
    expect 200 "$url$page"
    grep -q '<main' answer || complain "$page is no page"
done
expect 200 "$url/assets/dashboard.js"
expect 200 "$url/assets/report.css"
python3 - "$url" "$gate" "$bench" <<'P' || failed=1
import json, sys, urllib.request
url, gate, bench = sys.argv[1:]
def get(path):
    return json.load(urllib.request.urlopen(url + "/api/v1/" + path))
everything = get("problems?limit=1000")
assert everything["total"] == len(everything["problems"]) == 30, everything["total"]
one = get("problems?q=n64&side=sim&limit=1")
assert one["total"] == 3 and len(one["problems"]) == 1, one  # side or kernel
assert one["problems"][0]["last"]["median_ns"] > 0 and one["problems"][0]["trend"], one
assert get("problems?verdict=maintained")["total"] == 10
assert get("problems?verdict=regression") == {"problems": [], "total": 0}
assert get("problems?limit=7&offset=28")["problems"] == everything["problems"][28:]
assert get("problems?branch=none")["total"] == 0
history = get("history?problem=scale/fp32/n64&side=sim")
assert [p["run_id"] for p in history["points"]] == [bench] and history["change_points"] == [], history
runs = get("runs?limit=1")
assert runs["total"] == 2 and [r["run_id"] for r in runs["runs"]] == [gate], runs
assert [r["run_id"] for r in get("runs?limit=1&offset=1")["runs"]] == [bench]
assert get("runs?limit=5&offset=9")["runs"] == []
run = get("runs/" + gate)
assert run["run"]["verdict"] == "maintained" and len(run["results"]) == 20, run["run"]
document = get(f"runs/{gate}/document")
assert document == json.load(open("gate.json")), "the document is another"
assert get("baselines")["baselines"][0]["run_id"] == gate
assert get("changes") == {"changes": [], "total": 0, "slower_count": 0, "faster_count": 0, "side_count": 30}
assert get("facets")["suites"] == ["sim"] and get("live") == {"runs": []}
P
curl -s "$url/api/v1/runs/$gate/document" >gate2.json
curl -s "$url/api/v1/runs/$bench/document" >bench2.json
curl -s "$url/api/v1/compare?a=$bench&b=$gate" >compared
assay compare bench2.json gate2.json --json >wanted
sed -i '/"baseline":/d; /"candidate":/d; /"duration/d' compared wanted
diff compared wanted >/dev/null || complain "compare decides otherwise than the command: $(diff compared wanted | head -5)"
for path in "runs/$gate/report" "compare/report?a=$bench&b=$gate"; do
    expect 200 "$url/api/v1/$path"
    grep -q '<!DOCTYPE html>' answer || complain "$path is no page"
done
expect 200 "$url/metrics"
grep -q '^assay_store_runs 2$' answer || complain "metrics: not two runs"
grep -q '^assay_median_seconds{problem="scale/fp32/n64",side="sim",suite="sim",device="simulated' answer || complain "metrics: no median"
grep -q '^assay_http_requests_total{status="200"} ' answer || complain "metrics: no requests"

# a later run of the same problem that counted: of another metric, and no seconds
python3 - <<'P'
import json
run = json.load(open("bench2.json"))
run.update(run_id="counted", created_utc="2100-01-01T00:00:00Z")
run["environment"]["metric"] = "instructions"
json.dump(run, open("counted.json", "w"))
P
assay history import counted.json >/dev/null || complain "import of counts"
python3 - "$url" "$bench" <<'P' || failed=1
import json, sys, urllib.request
url, bench = sys.argv[1:]
def get(path):
    return json.load(urllib.request.urlopen(url + "/api/v1/" + path))
for query, metric, run in ("", "instructions", "counted"), ("&metric=time", "time", bench):
    history = get("history?problem=scale/fp32/n64&side=sim" + query)
    assert history["metric"] == metric and [p["run_id"] for p in history["points"]] == [run], history
row = [p for p in get("problems?q=n64&side=sim")["problems"] if p["side"] == "sim"][0]
assert row["last"]["metric"] == "instructions" and len(row["trend"]) == 1, row
assert get("problems") == get("problems?since=2000-01-01"), "the overview without a filter has other rows than with one that all fit"
assert get("problems?offset=999") == {"problems": [], "total": 30}
assert get("runs/counted")["run"]["metric"] == "instructions"
row = [p for p in get("problems?q=n64&side=sim&metric=time")["problems"] if p["side"] == "sim"][0]
assert row["last"]["metric"] == "time" and row["last"]["run_id"] == bench, row
P
expect 200 "$url/metrics"
[ "$(grep -c '^assay_median_seconds{problem="scale/fp32/n64",side="sim",.*,metric="time"}' answer)" = 1 ] || complain "metrics: a count hides the time"
grep -q 'metric="instructions"' answer && complain "metrics: a count as seconds"
python3 - <<'P'
import json
run = json.load(open("counted.json"))
for name, metric, created in ("called", "call_time", "2101"), ("made_up", "constructor", "2102"):
    run.update(run_id=name, created_utc=created + "-01-01T00:00:00Z")
    run["environment"]["metric"] = metric
    json.dump(run, open(name + ".json", "w"))
P
assay history import called.json made_up.json >/dev/null || complain "import of other metrics"
expect 200 "$url/metrics"
metrics=$(sed -n 's|^assay_median_seconds{problem="scale/fp32/n64",side="sim",.*,metric="\(.*\)"}.*|\1|p' answer | tr '\n' ' ')
[ "$metrics" = "time call_time " ] || complain "metrics: medians of '$metrics'"

for header in "Content-Security-Policy: default-src 'none'; script-src 'self'" "X-Content-Type-Options: nosniff" \
    "Referrer-Policy: no-referrer" "Cache-Control: no-cache"; do
    curl -sI "$url/" | grep -qF "$header" || complain "no header $header"
done
[ "$(curl -sI "$url/api/v1/runs" | grep -ci '^content-length: [1-9]')" = 1 ] || complain "HEAD has no length"
curl -sI "$url/api/v1/runs" | grep -q 'no-store' || complain "answers may be stored"

expect 404 "$url/api/v1/none"
expect 404 "$url/api/v1/problems/"
expect 404 "$url/assets/none.js"
expect 404 "$url/api/v1/runs/none"
expect 404 "$url/api/v1/runs/none/report"
expect 404 "$url/api/v1/compare?a=none&b=$gate"
expect 404 "$url/api/v1/history?problem=none&side=none"
expect 400 "$url/api/v1/history?problem=none"
expect 400 "$url/api/v1/problems?limit=0"
expect 400 "$url/api/v1/problems?limit=1001"
expect 400 "$url/api/v1/problems?offset=-1"
for since in yesterday 2026-02-30 2026-1-1 2026-01-01T25:00:00Z; do expect 400 "$url/api/v1/runs?since=$since"; done
grep -q "since takes a date or a time in UTC" answer || complain "not said what since takes: $(cat answer)"
expect 400 "$url/api/v1/problems?since=now"
expect 200 "$url/api/v1/runs?since=2026-01-01"
grep -q '"total": *5' answer || complain "since 2026 are not five runs: $(cat answer)"
expect 200 "$url/api/v1/runs?since=2999-01-01T00:00:00Z"
grep -q '"total": *0' answer || complain "since 2999 is a run: $(cat answer)"
expect 400 "$url/api/v1/problems?q=1&q=2"
expect 400 "$url/api/v1/problems?q=%00"
expect 400 "$url/api/v1/problems?q=%zz"
expect 400 "$url/api/v1/problems?q=%ff"
expect 405 -X POST -d x "$url/api/v1/problems"
expect 405 "$url/api/v1/results"
expect 405 -X DELETE "$url/api/v1/runs/$gate"
curl -s -D - -o /dev/null -X POST "$url/" | grep -q '^Allow: GET, HEAD' || complain "405 does not say what is allowed"
expect 421 -H "Host: 127.0.0.2" "$url/api/v1/runs"
stop_server
grep -q 'DELETE /api/v1/runs/.*: 405: this takes GET, HEAD only' refused || complain "a refused request is not logged: $(cat refused)"
# another address of this host is a name of the server that listens there
start_server --address 127.0.0.2
case $url in http://127.0.0.2:*) ;; *) complain "not where it serves: $url" ;; esac
expect 200 "$url/api/v1/runs"
expect 200 -H "Host: localhost" "$url/api/v1/runs"
expect 421 -H "Host: 127.0.0.3" "$url/api/v1/runs"
stop_server
exit $failed
