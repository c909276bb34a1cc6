# slow: builds a small benchmark with Debian's libbenchmark-dev and runs it. Its real files: with itself a tie, twenty times
# slower a regression; aggregates alone are refused; a failing benchmark is no success.
if ! echo '#include <benchmark/benchmark.h>' | g++ -x c++ -fsyntax-only - 2>/dev/null; then
    echo "SKIPPED: libbenchmark-dev is not installed (scripts/deps.sh test): no file that google-benchmark wrote is read"
    exit 0
fi
cat >b.cc <<'C'
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <limits>
static void spin(benchmark::State &state) {
    const long n = state.range(0) * (std::getenv("SLOW") ? 20 : 1);
    for (auto _ : state)
        for (long i = 0; i < n; ++i) benchmark::DoNotOptimize(i);
    state.counters["undefined"] = std::numeric_limits<double>::quiet_NaN();
    state.counters["endless"] = std::numeric_limits<double>::infinity();
}
static void failing(benchmark::State &state) {
    state.SkipWithError("no such device");
    for (auto _ : state) {}
}
BENCHMARK(spin)->Arg(1000)->Arg(3000)->UseRealTime();
BENCHMARK(failing);
BENCHMARK_MAIN();
C
g++ -O1 b.cc -o b -lbenchmark -lpthread || exit 9
run() { ./b --benchmark_repetitions=20 --benchmark_min_time=0.001 --benchmark_format=json "$@" 2>/dev/null; }
failures=0
# ends CODE PATTERN FILES: the exit code, and a line of the output.
ends() {
    assay compare "$3" "$4" >out.txt 2>&1
    local code=$?
    [ $code = "$1" ] && grep -qE "$2" out.txt && return
    echo "compare $3 $4 ended with $code, wanted $1 and '$2':"
    cat out.txt
    failures=1
}
run --benchmark_filter=spin >a.json || exit 9
SLOW=1 run --benchmark_filter=spin >slow.json || exit 9
run --benchmark_filter=spin --benchmark_report_aggregates_only >aggregates.json || exit 9
run --benchmark_filter=failing >failing.json || exit 9
run --benchmark_filter=spin --benchmark_enable_random_interleaving >interleaved.json || exit 9
grep -q '"undefined": NaN' a.json && grep -q '"endless": Infinity' a.json || exit 9
ends 2 '^- one process behind each file: .* cannot be detected' a.json a.json
ends 1 '^spin/3000/real_time .* regression$' a.json slow.json
ends 0 '^spin/1000/real_time .* improvement$' slow.json a.json
ends 65 'aggregates.json: only aggregates.*--benchmark_repetitions=20' aggregates.json a.json
ends 3 'the benchmark failed: no such device' failing.json failing.json
ends 1 '^spin/1000/real_time .* regression$' interleaved.json slow.json
exit $failures
