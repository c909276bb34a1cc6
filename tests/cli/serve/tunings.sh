# Tunings over the API: the list with its filters, one, its document and its log; what is not there is refused.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
need_server
tune --quiet --output tune.json >/dev/null 2>err || complain "the tuning failed: $(cat err)"
tune --quiet --try BLOCK_M=64 >/dev/null 2>err || complain "the trial failed: $(cat err)"
start_server
python3 - "$url" <<'P' || failed=1
import json, sys, urllib.request
url = sys.argv[1]
def ask(path):
    return urllib.request.urlopen(url + "/api/v1/" + path)
def get(path):
    return json.load(ask(path))
tuning = json.load(open("tune.json"))
answer = get("tunings")
trial, search = answer["tunings"]
assert answer["total"] == 2 and search["run_id"] == tuning["run_id"] and search["kernel"] == "mine", answer
assert search["config"] == tuning["finalists"][0]["config"] and search["speedup_low"] < search["speedup"], search
assert get("tunings?run=" + search["run_id"])["tunings"] == [search]
assert get("tunings?side=mine&suite=pr&device=sim:promise&offset=1") == {"tunings": [search], "total": 2}
assert get("tunings?limit=1") == {"tunings": [trial], "total": 2}
assert get("tunings?side=none") == {"tunings": [], "total": 0}
assert get(f"tunings/{search['id']}") == search
with ask(f"tunings/{search['id']}/document") as answer:
    assert answer.headers["Content-Type"] == "application/json" and json.load(answer) == tuning
with ask(f"tunings/{search['id']}/log") as answer:
    log = answer.read().decode()
    assert answer.headers["Content-Type"].startswith("text/plain") and answer.headers["X-Content-Type-Options"] == "nosniff", answer.headers
assert log == open(f"runs/{search['run_id']}/log.md").read(), log
P
expect 200 "$url/tuning?id=1"
grep -q '<main' answer || complain "/tuning is no page"
for path in tunings/999 tunings/999/document tunings/999/log tunings/x tunings/-1; do expect 404 "$url/api/v1/$path"; done
expect 405 -X DELETE "$url/api/v1/tunings/1"
stop_server
exit $failed
