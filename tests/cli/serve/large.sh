# slow with sanitizers
# Large uploads, one and three at once: kept, the server stays below 200 MB, and gives the memory back.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
grep -q __asan_init "$ASSAY" && { echo "SKIPPED: the sanitizers take memory of their own"; exit 0; }
printf 'version: 1\nkernels: {}\n' >assay.yaml
assay bench --device sim:steady --kernel sim --iters 160 --quiet --output bench.json >/dev/null 2>&1 || complain "the bench failed"
python3 - <<'P'
import json
result = json.load(open("bench.json"))
cases, result["checks"] = result["cases"], []
count = 30_000_000 // len(json.dumps(cases[0], indent=1))
result["cases"] = [dict(cases[0], problem=f"scale/fp32/n{i + 1}", index=i) for i in range(count)]
for i in range(4):
    result["run_id"] = f"large-{i}"
    json.dump(result, open(f"large{i}.json", "w"), indent=1)
P
token=$(assay serve token add ci 2>/dev/null)
start_server
memory() { awk -v key="Vm$1:" '$1 == key { print $2 }' "/proc/$server/status"; }
put() { curl -s -o /dev/null -w '%{http_code}\n' -X PUT -H "Authorization: Bearer $token" --data-binary "@large$1.json" "$url/api/v1/results"; }
[ "$(put 0)" = 201 ] || complain "a large upload is not kept: $(cat refused)"
for i in 1 2 3; do put $i >code$i & pids+=" $!"; done
wait $pids
[ "$(cat code1 code2 code3 | uniq)" = 201 ] || complain "three at once: $(cat code1 code2 code3 refused)"
[ "$(memory HWM)" -lt 200000 ] || complain "the server took $(memory HWM) kB"
for _ in $(seq 600); do [ "$(memory RSS)" -lt 60000 ] && break; sleep 0.1; done
[ "$(memory RSS)" -lt 60000 ] || complain "the server keeps $(memory RSS) kB"
curl -s "$url/api/v1/runs?limit=1" | grep -q '"total": *5' || complain "not four runs and the bench"
stop_server
exit $failed
