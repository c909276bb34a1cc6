# Made google-benchmark files: what is read, what makes one benchmark invalid, what refuses the whole file.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1
python3 - <<'P' || exit 9
from _google import *
good = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
slow = [t * 1.1 for t in good]
write("a.json", rows("f/1", good) + [aggregate("f/1", "median", 101)] + rows("g/manual_time", good, 1))
write("slow.json", rows("f/1", slow) + [aggregate("f/1", "median", 111)] + rows("g/manual_time", good, 1))
nan, inf = float("nan"), float("inf")
for name, bad in (("nan", nan), ("infinite", inf), ("negative_infinite", -inf), ("zero", 0.0), ("negative", -3.5)):
    write(name + ".json", rows("f/1", good[:5] + [bad] + good[6:]) + rows("g/manual_time", good, 1))
write("error.json", rows("f/1", good[:1], error_occurred=True, error_message="no\u001b[31m GPU") + rows("g/manual_time", good, 1))
write("skipped.json", rows("f/1", good[:1], skipped=True, skip_message="needs sm_90") + rows("g/manual_time", good, 1))
write("single.json", rows("f/1", good[:1]) + rows("g/manual_time", good, 1))
write("few.json", rows("f/1", good[:4]) + rows("g/manual_time", good, 1))
write("aggregates.json", [aggregate("f/1", kind, 101) for kind in ("mean", "median", "stddev")])
write("twice.json", rows("f/1", good) + rows("f/1", good, 1))
write("again.json", rows("f/1", good + good[:1], repetition_index=3))
old = rows("f/1", good, repetitions=20)  # as older writers have it: no index, so that two of one name look like more repetitions
for row in old:
    for key in ("family_index", "per_family_instance_index", "repetition_index"):
        del row[key]
write("old.json", old)
write("old_twice.json", old + old)
ancient = [{key: row[key] for key in ("name", "iterations", "real_time", "cpu_time", "time_unit")}  # before 1.5
           for row in rows("f/1", good) + [dict(rows("f/1", [t])[0], name="f/1" + end) for end, t in (("_mean", 101), ("_stddev", 1))]
           + rows("g_one_mean_of_two", good, 1)]
ancient.append({"name": "f_BigO", "cpu_coefficient": 1.0, "real_coefficient": 1.0, "big_o": "N", "time_unit": "us"})
write("ancient.json", ancient)
write("ancient_slow.json", [dict(row, real_time=1.1 * row.get("real_time", 0)) for row in ancient])
write("threads.json", rows("f/1", good, threads=4))
write("threads_unknown.json", rows("f/1", good, threads=None))
write("threads_mixed.json", rows("f/1", good[:10]) + rows("f/1", good[10:], repetition_index=None, threads=2))
write("host.json", rows("f/1", good), host_name="gpu02")
write("cpus.json", rows("f/1", good), num_cpus=8)
write("gpu.json", rows("f/1", good), gpu_uuid="GPU-0000")
write("scaling_unknown.json", rows("f/1", good), cpu_scaling_enabled=None)
write("debug.json", rows("f/1", good), library_build_type="debug")
write("other.json", rows("h", good))
write("unit.json", rows("f/1", good, time_unit="h"))
write("text.json", rows("f/1", good, real_time="100"))
write("type.json", rows("f/1", good, run_type="median"))
write("empty.json", [])
long_name = "f/" + "x" * 600
write("long.json", rows(long_name + "1", good) + rows(long_name + "2", good, 1))
P
try() { echo "--- $1"; assay compare "$2" "$3" --allow-removed $5 >out.txt 2>&1; echo "exit $?"; grep -hE "$4" out.txt; }
try itself a.json a.json '^f/1 |^g/manual_time |do not state'
try slower a.json slow.json '^f/1 |^g/manual_time '
for bad in nan infinite negative_infinite zero negative error skipped single few; do
    try $bad a.json $bad.json '^- f/1|^g/manual_time '
done
for bad in aggregates twice again unit text type; do try $bad a.json $bad.json 'error:'; done
try old a.json old.json '^f/1'
try ancient ancient.json ancient_slow.json '^(f|g)'
for bad in old_twice threads_mixed; do try $bad a.json $bad.json 'error:'; done
for bad in threads threads_unknown; do try $bad a.json $bad.json '^- f/1'; done
try 'threads allowed' a.json threads.json '^f/1|^- f/1|threads' '--allow-different threads'
for bad in host cpus gpu scaling_unknown; do try $bad a.json $bad.json '^- f/1'; done
try debug debug.json a.json 'baseline: .*debug'
try other a.json other.json 'no problem in common'
try empty empty.json empty.json 'no problem in common'
try long long.json long.json '^f/x+\.\.\.x+~[0-9a-f]{16} '
