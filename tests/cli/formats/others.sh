# hyperfine, pytest-benchmark, Criterion, asv: samples are compared by the rule. Bencher, github-action-benchmark and files saved without
# samples: figures are shown, and nothing is proved (3). Each file is also detected, and refused where it lies.
python3 - <<'P'
import json, random

def times(seed, median_s, count=30):
    random.seed(seed)
    return [median_s * (1 + random.gauss(0, 0.01)) for _ in range(count)]

def write(name, value):
    json.dump(value, open(name, "w"))

for which, factor in (("base", 1.0), ("cand", 1.06)):
    a, b = times(which + "a", 1e-3 * factor), times(which + "b", 2e-3)
    write(f"hyperfine.{which}", {"results": [
        {"command": "./attn --s 512", "mean": sum(a) / 30, "stddev": 1e-5, "median": a[0], "user": 0, "system": 0, "min": 0, "max": 1, "times": a, "exit_codes": [0] * 30},
        {"command": "./attn --s 4096", "mean": sum(b) / 30, "times": b, "exit_codes": [0] * 30},
        {"command": "./fails", "mean": 1.0, "times": b, "exit_codes": [0] * 29 + [1]}]})
    write(f"pytest.{which}", {"machine_info": {"node": "gpu01"}, "datetime": "2026-09-30T09:01:00+00:00", "version": "5.1.0", "benchmarks": [
        {"fullname": "tests/b.py::test_attn[512]", "stats": {"median": a[0], "data": a}},
        {"fullname": "tests/b.py::test_saved_without_data", "stats": {"median": 1e-3 * factor}}]})
    write(f"criterion.{which}", {"sampling_mode": "Linear", "iters": [float(10 * (i + 1)) for i in range(30)], "times": [t * 1e9 * 10 * (i + 1) for i, t in enumerate(a)]})
    write(f"asv.{which}", {"version": 2, "commit_hash": "abc", "result_columns": ["result", "params", "version", "samples"], "results": {
        "bench.Suite.time_attn": [[a[0], b[0]], [["512", "4096"]], "v1", [a, b]],
        "bench.Suite.mem_attn": [[1000], [], "v1"]}})
    write(f"asv1.{which}", {"version": 1, "commit_hash": "abc", "benchmark_version": {}, "results": {
        "bench.Suite.time_attn": {"result": [a[0], None], "params": [["512", "4096"]], "samples": [a, None]},
        "bench.Suite.time_kept": {"result": [1e-3 * factor], "stats": [{}]}, "bench.time_older": 2e-3 * factor, "bench.mem_attn": 1000}})
    write(f"bencher.{which}", {"attn/s512": {"latency": {"value": a[0] * 1e9}}, "attn/s4096": {"latency": {"value": b[0] * 1e9, "lower_value": 1}}})
    write(f"action.{which}", [{"name": "attn/s512", "unit": "us", "value": a[0] * 1e6}, {"name": "size", "unit": "bytes", "value": 12}])
write("other.base", {"hello": 1})
P
for tool in hyperfine pytest criterion asv asv1 bencher action; do
    assay compare $tool.base $tool.cand --color never >out.txt 2>&1
    code=$?
    printf '== %s: exit %s\n' $tool $code
    sed -nE '2p; /^-+$/,/^$/p' out.txt | grep -vE '^-*$' | sed -E 's/ +[0-9.]+ [mu]s +[0-9.]+ [mu]s +/ | /; s/[0-9.]+ % (slower|faster) \([^)]*\)/N % \1/; s/ +[0-9.]+x.*  / | /; s/[+-]?[0-9]+\.[0-9]+ +</</'
done
assay report hyperfine.base --samples --only './attn --s 512' | grep -c 'attn --s 512'
echo "== refused"
assay compare hyperfine.base asv.cand 2>&1
echo $?
assay compare other.base other.base 2>&1 | sed -n '1s/; .*//p'
looks_like() { printf '%s' "$1" >like.json; assay compare like.json like.json 2>&1 | sed -n 1p; }
looks_like '{"kind": "assay.audit"}'
looks_like '{"mean": {"confidence_interval": {}, "point_estimate": 1}}'
looks_like '{"group_id": "a", "full_id": "a/b"}'
looks_like '{"bench.time_a": {"code": "", "timeout": 60}, "version": 2}'
looks_like '{"bench.time_a": {"code": "", "timeout": 60}}'
looks_like '{"benchmarks": [{"name": "a", "run_type": "iteration"}]}'
looks_like '[{"benchmark": "a", "primaryMetric": {}}]'
looks_like '{"HostEnvironmentInfo": {}, "Benchmarks": []}'
looks_like '[1, "primaryMetric"]'
printf '{"iters": [1, 2], "times": [1]}' >short.json
assay compare short.json short.json 2>&1
printf '{"results": [{"command": "a", "mean": "fast"}]}' >text.json
assay compare text.json text.json 2>&1
printf '{"results": [{"command": "a", "mean": 1, "times": [1, null, -2, 1e300]}, {"command": "a", "mean": 1}]}' >twice.json
assay compare twice.json twice.json 2>&1
