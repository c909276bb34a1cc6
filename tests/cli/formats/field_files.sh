# Files that people have: what was skipped or failed is no fault of the file and nothing that was removed; two machines that a file names are
# not compared; counts that contradict each other, other tools' text and another locale's numbers are refused by name.
python3 - <<'P'
import json, random

def times(seed, median_s, count=20):
    random.seed(seed)
    return [median_s * (1 + random.gauss(0, 0.002)) for _ in range(count)]

def asv(name, conv, skipped=None):
    results = {"b.time_gemm": [[1e-3], [], "v1", [times(1, 1e-3)]], "b.time_conv": conv}
    if skipped:
        results["b.time_skip"] = skipped
    head = {"commit_hash": "a" * 40, "params": {"machine": "box", "cpu": "some", "num_cpu": "8"}, "python": "3.11"}
    json.dump({**head, "result_columns": ["result", "params", "version", "samples"], "results": results, "version": 2}, open(name, "w"))

asv("asv_base", [[2e-3], [], "v1", [times(2, 2e-3)]])
asv("asv_slow", [[3e-3], [], "v1", [times(2, 3e-3)]])
asv("asv_failed", None)
asv("asv_params_failed", [None, [["1", "2"]], "v1", None])
asv("asv_nan", [[2e-3], [], "v1", [times(2, 2e-3)]], [[float("nan"), 2e-3], [["32", "64"]], "v1", None])
json.dump({"commit_hash": "b" * 40, "params": {"machine": "box"}, "results": {"time_a": 6.5e-5, "mem_c": 728, "time_d": None}, "version": 1}, open("asv_1", "w"))

def pytest(name, brand, python, rounds=20):
    data = times(3, 3e-5)
    machine = {"node": name, "cpu": {"brand_raw": brand, "count": 8}, "python_implementation": "CPython", "python_version": python}
    stats = {"median": 3e-5, "rounds": rounds, "data": data}
    json.dump({"machine_info": machine, "benchmarks": [{"fullname": "b.py::test_k", "stats": stats}]}, open(name, "w"))

pytest("pytest_a", "Model A", "3.10.6")
pytest("pytest_again", "Model A", "3.10.6")
pytest("pytest_b", "Model B", "3.10.6")
pytest("pytest_python", "Model A", "3.12.1")
pytest("pytest_cut", "Model A", "3.10.6", 200)

random.seed(4)
with open("go", "w") as f:
    f.write("goos: linux\ngoarch: amd64\npkg: example.org/kern\ncpu: Model A\n")
    for _ in range(12):
        f.write("BenchmarkGemm/n=512-8   \t     100\t  %d ns/op\t 12 B/op\t 1 allocs/op\n" % (1e7 * (1 + random.gauss(0, 0.002))))
        f.write("BenchmarkConv-8   \t     10000\t  %.1f ns/op\n" % (123.4 * (1 + random.gauss(0, 0.002))))
    f.write("PASS\nok  \texample.org/kern\t2.2s\n")
open("go_b", "w").write(open("go").read().replace("Model A", "Model B"))
open("perf_report", "w").write(" ,N,Mine,Torch\n0,256.0,331.2,120.1\n1,512.0,402.9,180.4\n")
open("cargo", "w").write("running 1 test\ntest bench_k ... bench:   1,234 ns/iter (+/- 12)\n")
open("catch2", "w").write("benchmark name                       samples       iterations    est run time\n")
open("other", "w").write("hello\n")
head = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
for name, value in (("ncu_comma", "35,10"), ("ncu_thousands", "1,235.5"), ("ncu_point", "35.10")):
    open(name + ".csv", "w").write(head + f'"0","k(float*)","gpu__time_duration.sum","us","{value}"\n')
P
look() {
    echo "== $*"
    assay compare "$@" --color never >out 2>&1
    code=$?
    sed -nE '1{/error/p}; /^problem/,/^$/p; /not comparable, another/p' out | grep -vE '^-+$|^$|^problem' |
        sed -E 's/ +[0-9.]+ [mun]s +[0-9.]+ [mun]s +/ | /; s/[0-9.]+ % [^)]*\)/N %/; s/ +[0-9.]+x .*  / | /'
    echo "exit $code"
}
look asv_base asv_base
look asv_base asv_failed
look asv_params_failed asv_params_failed
look asv_nan asv_nan
look asv_1 asv_1
look pytest_a pytest_again
look pytest_a pytest_b
look pytest_a pytest_python
look pytest_a pytest_b --allow-different device
look pytest_cut pytest_cut
look go go
look go go_b
for file in perf_report cargo catch2 other; do look $file $file; done
for name in comma thousands point; do
    assay profile --import ncu_$name.csv --json >out 2>err
    echo "ncu_$name: exit $? $(grep -oE "'[0-9,]+' has a decimal comma" err)$(grep -oE '"duration_ns": [0-9.]+' out)"
done
echo "== markdown: what became slower most comes first"
assay compare asv_base asv_slow --format markdown | sed -nE '1,/^<details/s/^\| (b[^|]*).*\| ([^|]*) \|$/\1\2/p'
echo "== Criterion's folder"
python3 - <<'P'
import json, os, random
for tree, factor in (("criterion_a", 1.0), ("criterion_b", 1.2)):
    for name, size in (("conv/3x3", 2e6), ("gemm", 1e6)):
        random.seed(tree + name)
        os.makedirs(f"{tree}/{name}/new")
        os.makedirs(f"{tree}/{name}/base")
        times = [size * factor * (i + 1) * (1 + random.gauss(0, 0.002)) for i in range(20)]
        for which in ("new", "base"):
            json.dump({"sampling_mode": "Linear", "iters": [float(i + 1) for i in range(20)], "times": times}, open(f"{tree}/{name}/{which}/sample.json", "w"))
P
look criterion_a criterion_b
look criterion_a/gemm/base criterion_a/gemm/new
mkdir nothing
look nothing criterion_a
echo '{"iters": 1}' >criterion_b/gemm/new/sample.json
look criterion_a criterion_b
