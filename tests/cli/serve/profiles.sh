# Profiles over the API: the list with its filters, one, its document, its roofline as a drawing; what is not there is refused.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
export ASSAY_CUPTI=$fakes/libfake_cupti.so FAKE_CUPTI=''
[ -e "$ASSAY_CUPTI" ] || { echo "SKIPPED: $ASSAY_CUPTI is not built"; exit 0; }
printf 'version: 1\nkernels: {}\n' >assay.yaml
cp "$kernel" '<b>mine'
profile() { assay profile --device cuda:0 --profiler cupti --module '<b>mine' --problem "$@" >out 2>err || complain "the profile failed: $(cat err)"; }
profile attention/fp32/b1/h2/s96/d32
profile attention/fp32/b1/h1/s32/d16 --iters 0
start_server
python3 - "$url" <<'P' || failed=1
import json, sys, urllib.request
url = sys.argv[1]
def ask(path):
    return urllib.request.urlopen(url + "/api/v1/" + path)
def get(path):
    return json.load(ask(path))["profiles"]
last, first = get("profiles")
assert first["problem"] == "attention/fp32/b1/h2/s96/d32" and first["side"] == "<b>mine" and first["device"] == "Fake GPU 0", first
assert first["profiler"] == "CUPTI" and first["bottleneck"] == "accounting_error" and "4100.0 %" in first["because"], first
assert first["run_id"] and last["run_id"] is None, last
assert get("profiles?run=" + first["run_id"]) == [first]
assert get("profiles?problem=attention/fp32/b1/h1/s32/d16&side=%3Cb%3Emine") == [last]
assert get("profiles?limit=1") == [last] and get("profiles?limit=1&offset=1") == [first] and get("profiles?offset=2") == []
assert get("profiles?problem=none") == [] and get("profiles?device=none") == [] and get("profiles?suite=problem") == [first]
assert json.load(ask(f"profiles/{first['id']}")) == first
with ask(f"profiles/{first['id']}/document") as answer:
    assert answer.headers["Content-Type"] == "application/json", answer.headers
    document = json.load(answer)
assert document["launches"][0]["profile"]["sm_pct"] == 4100 and len(document["roofline"]["points"]) == 2, document
with ask(f"profiles/{first['id']}/roofline") as answer:
    drawing = answer.read().decode()
    assert answer.headers["Content-Type"] == "image/svg+xml", answer.headers
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'unsafe-inline'"), answer.headers
assert drawing.startswith("<svg") and "attention/fp32/b1/h2/s96/d32" in drawing and "<b>" not in drawing, drawing[:200]
P
expect 200 "$url/profile?id=1"
grep -q '<main' answer || complain "/profile is no page"
for path in profiles/999 profiles/999/document profiles/999/roofline profiles/x profiles/-1 profiles/99999999999999999999; do
    expect 404 "$url/api/v1/$path"
done
expect 405 -X DELETE "$url/api/v1/profiles/1"
stop_server
exit $failed
