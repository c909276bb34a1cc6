# The interquartile range of a document is that of its samples, by linear percentiles.
assay bench --device sim:flaky --kernel sim --only p0 --quiet --output r.json >/dev/null; echo "bench: $?"
/usr/bin/python3 - r.json <<'P'
import json, statistics, sys
case = json.load(open(sys.argv[1]))["cases"][0]
times = []
for one in case["rounds"]:
    for samples in one["samples"] if one["is_valid"] else []:
        launches = samples["launches"]
        for i, duration_ns in enumerate(samples["duration_ns"]):
            if str(i) not in samples.get("discard", {}):
                times.append(duration_ns / (launches[i] if isinstance(launches, list) else launches))
quartiles = statistics.quantiles(times, n=4, method="inclusive")
iqr_ns = case["summary"][0]["iqr_ns"]
print("range:", "as computed" if abs(iqr_ns - (quartiles[2] - quartiles[0])) < 1e-6 * iqr_ns else iqr_ns)
P
