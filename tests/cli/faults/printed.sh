# What a kernel printed before it broke its process stands in the record, be the process the judge's or its own; and no other words.
grep -q __asan_init "$ASSAY" && { echo "SKIPPED: the sanitizers of clang take a module's exceptions"; exit 0; }
cat >assay.yaml <<'Y'
version: 1
kernels:
  aborts: {operator: attention, backend: cpu, source: aborts.c}
  silent: {operator: attention, backend: cpu, source: silent.c}
  throws: {operator: attention, backend: cpu, build: {run: "g++ -std=c++17 -O2 -fPIC -shared -I$ASSAY_SOURCE/include throws.cc -o fa.so", output: fa.so, inputs: [throws.cc]}}
suites:
  two: {problems: {a: attention/fp32/b1/h1/s32/d16, bad: attention/fp32/b1/h1/s33/d16}}
limits: {case_s: 20}
Y
make_kernel() { # file, statement on a, statement on bad
    python3 - "$@" <<'P'
import os, sys
text = open(os.environ["ASSAY_SOURCE"] + "/tests/cli/_slow_attention.c").read()
mark = "    const struct assay_cpu_stream *cpu = stream;\n"
assert mark in text
text = "#include <stdio.h>\n#include <stdlib.h>\n" + text.replace(
    mark, mark + "    if (job.q->shape[2] == 33) { " + sys.argv[3] + " }\n    else { " + sys.argv[2] + " }\n")
open(sys.argv[1], "w").write(text)
P
}
make_kernel aborts.c '' 'fprintf(stderr, "block 7 of 4\n\033[31mis not there\n"); abort();'
make_kernel silent.c 'static int is_said; if (!is_said++) fprintf(stderr, "words of another problem\n");' 'abort();'
cat >throws.cc <<'C'
#include <assay/kernel.h>
#include <stdexcept>

static int supports(const assay_problem *, assay_message *) { return ASSAY_OK; }
static int launch(void *, const assay_tensors *list, void *, void *, assay_message *) {
    if (assay_tensor_at(list, 0)->shape[2] == 33) throw std::runtime_error("no such block");
    return ASSAY_OK; // wrong, and nothing is printed
}
static const assay_kernel kernels[] = {{sizeof(assay_kernel), ASSAY_ABI_VERSION, "throws", "attention", "cpu", supports, launch, nullptr, nullptr, nullptr, 0, 0, nullptr, nullptr}};
ASSAY_MODULE(kernels)
C
for kernel in aborts silent throws; do
    for isolation in process none; do
        assay bench --kernel $kernel --suite two --iters 6 --isolation $isolation --json 2>/dev/null | python3 -c '
import json, sys
for case in json.load(sys.stdin)["cases"]:
    for check in case["checks"]:
        if check["outcome"] == "CRASHED": print(*sys.argv[1:], "|", case["short_name"], ascii(check["message"]))' $kernel $isolation
    done
done
