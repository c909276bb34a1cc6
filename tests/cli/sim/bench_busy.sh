# Measurements that do not count: their figures are shown, marked as such; the exit code stays 3 and the documents have no median.
assay bench --device sim:busy --kernel sim --only p0,p1 --json 2>/dev/null >bench.json; echo "json: $?"
grep -c median_ns bench.json; grep -c invalid_cause bench.json
assay bench --device sim:busy --kernel sim --only p0,p1 2>&1 | grep -E '^note|INVALID|did not count'; echo "bench: ${PIPESTATUS[0]}"
