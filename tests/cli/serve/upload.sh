# Uploads: tokens that are missing, wrong, removed; bodies that are no JSON, no result, too large, of no run or of another time; the same
# twice, two at once; names that are markup come back as text. A server without a store does not start.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
make_store
token=$(assay serve token add ci 2>note)
grep -q 'not shown again' note || complain "not said that the token is shown once"
[ ${#token} = 49 ] || complain "not a token: $token"
assay serve token add ci 2>err; [ $? = 64 ] || complain "a name twice: not 64"
assay serve token add 'a b' 2>err; [ $? = 64 ] || complain "a blank in a name: not 64"
assay serve token remove none 2>err; [ $? = 66 ] || complain "no such token: not 66"
assay serve token list | grep -q ' ci$' || complain "the token is not listed"
assay serve token list | grep -q "$token" && complain "the list shows the token"
if is_file; then cp .assay/history.db* .; else psql -qc 'TABLE upload_tokens' "$ASSAY_STORE" >history.db; fi
grep -q ci history.db* || complain "the store does not hold the token's name"
grep -qF "${token#assay_}" history.db* && complain "the store holds the token"
assay serve --port 0 --store "$other_store" >served 2>err; [ $? = 69 ] || complain "no store: not 69"
grep -q "there is no store '.*' yet: .* 'assay serve token add NAME'" err || complain "not said: $(cat err)"
[ ! -s served ] && [ ! -e "$other_store" ] || complain "a server without a store: $(cat served)"
assay serve token add other --store "$other_store" >/dev/null 2>&1 || complain "a token makes no store"
start_server --upload-limit 1 --store "$other_store"
put() { curl -s -o answer -w '%{http_code}' -X PUT -H "Authorization: Bearer $1" --data-binary "@$2" "$url/api/v1/results"; }
said() { [ "$1" = "$2" ] || complain "$3: $1, not $2: $(head -c 300 answer)"; }
said "$(put "$token" gate.json)" 401 "a token of another store"
token=$(assay serve token add ci --store "$other_store" 2>note)
said "$(put "$token" gate.json)" 201 "an upload"
grep -q '"is_new": *true' answer || complain "not said to be new: $(cat answer)"
said "$(put "$token" gate.json)" 200 "the same again"
grep -q '"is_new": *false' answer || complain "said to be new: $(cat answer)"
sed -e 's#"scale/fp32/#"rmsnorm/fp32/#' -e 's#"run_id": "#&theirs-#' gate.json >theirs.json
said "$(put "$token" theirs.json)" 201 "an operator that this program does not have"
expect 401 -X PUT --data-binary @gate.json "$url/api/v1/results"
curl -s -D - -o /dev/null -X PUT "$url/api/v1/results" | grep -q '^WWW-Authenticate: Bearer' || complain "401 does not name the scheme"
for wrong in "${token}x" "${token%?}" "" x; do said "$(put "$wrong" gate.json)" 401 "the token '$wrong'"; done
echo '{"kind": ' >broken; said "$(put "$token" broken)" 400 "broken JSON"
: >empty; said "$(put "$token" empty)" 400 "nothing"
echo '{"kind": "assay.plan"}' >plan; said "$(put "$token" plan)" 422 "no result"
echo '[]' >list; said "$(put "$token" list)" 422 "a list"
changed() { sed "s|\"$1\": \"[^\"]*\"|\"$1\": \"$2\"|" gate.json >changed.json; put "$token" changed.json; }
for id in ../../x '..' '.x' '-x' 'a b' '<b>' '' "$(head -c 129 /dev/zero | tr '\0' a)"; do
    said "$(changed run_id "$id")" 422 "the id '$id'"
    grep -q "which is no run's id: letters" answer || complain "not said what an id is: $(cat answer)"
done
for time in tomorrow '' 9999-01-01T00:00:00Z 2026-02-30T00:00:00Z 2026-01-31 2026-1-31T12:00:00Z "$(date -u -d '+2 days' +%FT%TZ)"; do
    said "$(changed created_utc "$time")" 422 "the time '$time'"
    grep -q "created_utc" answer || complain "not said that the time is wrong: $(cat answer)"
done
said "$(changed created_utc "$(date -u -d '+1 hour' +%FT%TZ)")" 201 "a clock that is an hour ahead"
head -c 1048577 /dev/zero >large; said "$(put "$token" large)" 413 "too large"
code=$(curl -s -o answer -w '%{http_code}' -X PUT -H "Authorization: Bearer $token" -H 'Transfer-Encoding: chunked' --data-binary @large "$url/api/v1/results")
said "$code" 413 "too large by pieces"
grep -q "an upload has at most 1048576 bytes" answer || complain "the limit is not said: $(cat answer)"

python3 - <<'P'
import json
with open("gate.json", encoding="utf-8") as file:
    result = json.load(file)
for side in result["sides"]:
    side["label"] = "<img src=x onerror=alert(1)>\"&" + side["role"] + "\u202e"
result["suite"] = "<script>alert(2)</script>\nassay_fake 1"
for i in range(8):
    result["run_id"] = f"names-{i}"
    with open(f"names{i}.json", "w", encoding="utf-8") as file:
        json.dump(result, file)
P
for i in 0 1 2 3 4 5 6 7; do put "$token" names$i.json >code$i & pids+=" $!"; done
wait $pids
[ "$(cat code?)" = "$(printf '201%.0s' 0 1 2 3 4 5 6 7)" ] || complain "eight at once are not all kept: $(cat code?)"
for i in 0 1 2 3; do said "$(put "$token" names$i.json)" 200 "names$i again"; done
python3 - "$url" <<'P' || failed=1
import json, sys, urllib.request
url = sys.argv[1]
def get(path):
    with urllib.request.urlopen(url + path) as answer:
        return answer.headers["Content-Type"], answer.read().decode()
kind, text = get("/api/v1/problems?limit=1000")
sides = {p["side"] for p in json.loads(text)["problems"]}
assert kind == "application/json" and any(s.startswith("<img src=x") for s in sides), (kind, sides)
assert json.loads(get("/api/v1/facets")[1])["suites"].count("<script>alert(2)</script>\nassay_fake 1") == 1
assert json.loads(get("/api/v1/runs/names-1")[1])["run"]["suite"] == "<script>alert(2)</script>\nassay_fake 1"
report = get("/api/v1/runs/names-1/report")[1]
assert "<img" not in report and "<script>alert" not in report, "a name is markup in the report"
kind, metrics = get("/metrics")
assert kind.startswith("text/plain") and not [l for l in metrics.splitlines() if l.startswith("assay_fake")], "a name is a line of its own"
P
assay serve token remove ci --store "$other_store" >/dev/null
said "$(put "$token" gate.json)" 401 "a removed token"
stop_server
grep -q 'PUT /api/v1/results: 401' refused || complain "a refused upload is not logged"
grep -qF "$token" refused && complain "the log holds the token"
exit $failed
