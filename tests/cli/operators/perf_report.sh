# A file of triton.testing's form is measured as it is, with Triton's interface in its place where that is missing. No package is needed.
. "$ASSAY_SOURCE/tests/cli/_python_worker.sh"
python3 -c 'import triton' 2>/dev/null && echo "SKIPPED: python3 has Triton, and this is about its absence" && exit 0
PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH # no script that starts it
rm -f assay.yaml
cat >sums.py <<'P'
from triton.testing import Benchmark, do_bench, perf_report

calls = []

@perf_report(Benchmark(x_names=["n", "m"], x_vals=[64, 256, (128, 2)], line_arg="provider", line_vals=["loop", "sum", "none", "raises"],
                       line_names=["Loop", "Sum", "None", "Raises"], ylabel="ms", plot_name="sums", args={"scale": 2}))
def sums(n, m, provider, scale):
    numbers = [float(i * scale) for i in range(n * m)]
    if provider == "raises":
        raise ValueError("no such sizes")
    if provider == "none":
        return 0
    def loop():
        total = 0
        for number in numbers:
            total += number
        return total
    try:
        ms, low, high = do_bench(loop if provider == "loop" else lambda: sum(numbers), quantiles=[0.5, 0.2, 0.8])
    except Exception:
        ms = low = high = 0
    return ms, low, high

sums.run(print_data=True, save_path=".")
P
assay list problems sums.py
quick=(--problem n=64,m=64 --iters 5 --sample-time 0.2ms)
assay bench sums.py --kernel loop --vs sum --rounds 1 "${quick[@]}" --output out.json >out 2>&1; code=$?
[ $code = 3 ] && code=0 # the machine was busy
echo "bench: $code"
grep -E '^(loop|sum): |^not checked' out
grep -o '"not_checked.*' out.json
assay report out.json --format html | grep -c 'times only: nobody checked results'
assay report out.json --format markdown | grep -c 'times only: nobody checked results'
for kernel in none raises nowhere; do assay bench sums.py --kernel $kernel "${quick[@]}" >out 2>&1; echo "$kernel: $?"; grep -ohE "UNSUPPORTED.*|ValueError.*|there is no provider.*" out | sort -u | head -1; done
assay fuzz sums.py --kernel loop 2>&1
echo "--- against a revision"
printf 'runs/\nout*\n' >.gitignore
git init -q -b main . && git config user.email t@example.org && git config user.name tester && git add -A && git commit -qm first
sed -i 's/total += number$/total += number + 0.0/' sums.py
assay gate sums.py --candidate loop --baseline git:HEAD --rounds 5 "${quick[@]}" >out 2>&1; code=$?
[ $code = 1 ] || [ $code = 3 ] && code=0 # it is slower, and the machine was busy
echo "gate: $code"
grep -E '^loop.*: |^not checked|^policy|same machine code|not judged' out | grep -v 'must count'
echo "--- not like this"
printf '%s\n' 'from triton.testing import Benchmark, perf_report' \
    'one = perf_report(Benchmark(["n"], [1.5, "x"], "p", ["a"], ["a"], "b", {}))(lambda n, p: 0)' \
    'other = perf_report([])(lambda n, p: 0)' >two.py
assay list problems two.py 2>&1
printf 'version: 1\noperators: {one: two.py}\n' >assay.yaml
assay list problems --suite one
printf 'version: 1\noperators: {other: two.py}\n' >assay.yaml
assay list operators 2>&1
