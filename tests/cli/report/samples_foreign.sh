# A file of google-benchmark has samples too; a document of means has none.
cat >gb.json <<'J'
{"context": {"date": "2026-11-21T12:00:00+00:00", "host_name": "h", "executable": "./b", "num_cpus": 2, "mhz_per_cpu": 2500, "caches": [], "library_build_type": "release"},
 "benchmarks": [
J
for i in 0 1 2 3 4 5 6; do
    echo "  {\"name\": \"BM_x\", \"run_name\": \"BM_x\", \"run_type\": \"iteration\", \"repetitions\": 7, \"repetition_index\": $i, \"threads\": 1, \"iterations\": 1000, \"real_time\": 10$i.5, \"cpu_time\": 10$i.5, \"time_unit\": \"ns\"}$([ $i = 6 ] || echo ,)"
done >>gb.json
echo ']}' >>gb.json
assay report gb.json --samples || exit 9
cat >means.json <<'J'
{"performance": {"mean_ms": 1.0}}
J
assay report gb.json; echo $?
assay report means.json; echo $?
assay report means.json --samples
