tiled="report_of run integrated --kernel tiled --batch 8 --heads 4 --seq 64 --dim 64 --manifest $ASSAY_SOURCE/assay.yaml --output-dir runs"
$tiled --output A || exit 9
cat >page.csv <<'P'
"ID","Kernel Name","Block Size","Grid Size","sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active","dram__throughput.avg.pct_of_peak_sustained_elapsed"
"","","","","%","%"
"0","fa","(128, 1, 1)","(256, 1, 1)","57","10"
P
$tiled --output P --iters 6 --profile page.csv >profiled || exit 9
grep -E '^(Bottleneck|Recommended): .*(Compute|tensor)' profiled | sed 's/, .* % of its roof//; s/up to.*//'
$tiled --output - --iters 6 | python3 -c 'import json, sys; print("one document:", json.load(sys.stdin)["kernel_name"])'
python3 - <<'P'
import json
a = json.load(open('A'))
assert set(a["correctness"]) >= {"passed", "max_abs_error", "mean_abs_error", "correlation"}, a
assert set(a["performance"]) >= {"mean_time_ms", "std_dev_ms", "throughput_gflops", "bandwidth_gb_s"}
assert set(a["roofline"]) >= {"arithmetic_intensity", "bottleneck", "efficiency_pct", "recommendations"}
assert a["config"] == {"batch_size": 8, "num_heads": 4, "seq_len": 64, "head_dim": 64, "dtype": a["config"]["dtype"]}
assert a["correctness"]["passed"] is True and a["roofline"]["bottleneck"] in ("Memory Bandwidth", "Compute")
import datetime; datetime.datetime.strptime(a["timestamp"], "%Y-%m-%d %H:%M:%S")
a["performance"]["mean_time_ms"] *= 0.99; json.dump(a, open('B', 'w'))      # 1 % faster
a["performance"]["mean_time_ms"] *= 1.06; json.dump(a, open('slow', 'w'))   # about 5 % slower
a["performance"]["mean_time_ms"] /= 1.06; a["correctness"]["passed"] = False; json.dump(a, open('wrong', 'w'))
a["metrics"] = a.pop("performance"); a["correctness"]["passed"] = True; json.dump(a, open('metrics', 'w'))
P
python3 - <<'P'
import json
b = json.load(open('B')); b["roofline"]["efficiency_pct"] = 178; json.dump(b, open('impossible', 'w'))
P
assay compare impossible --baseline A --threshold -3.0 | grep 'claims 178 %'
assay compare B --baseline A --threshold -3.0 --output C; echo "equal: $?"
python3 -c 'import json; c = json.load(open("C")); assert set(c) >= {"speedup", "improvement_pct", "is_regression", "baseline_time_ms", "current_time_ms", "threshold"}; print("keys", c["is_regression"])'
assay compare slow --baseline A --threshold -3.0 --output C >/dev/null; echo "slower: $?"
assay compare wrong --baseline A --threshold -3.0 --output C >/dev/null; echo "wrong: $?"
assay compare metrics --baseline A --threshold -3.0 --output C >/dev/null; echo "metrics: $?"
report_of bench --kernel naive --problem attention/fp32/b1/h1/s16/d16 --iters 6 --output new.json
assay compare new.json --baseline A; echo "mixed: $?"
