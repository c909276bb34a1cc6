# campaign: the judge and both modules in real time
# Two C++ modules with a function-static flag in a template: emitted as unique symbols, the second module's
# initialisation would be skipped if the two shared a process.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
git init -q -b main . && git config user.email t@example.org && git config user.name tester
cat >mine.cc <<'C'
#include <assay/kernel.h>
#include <cmath>
#include <cstdlib>
#include <vector>
static float table_value; // set by the initialisation below, per module
template <typename T> static inline bool &flag_of() { return *(bool *)nullptr; }
template <typename T> struct once {
    static bool &done() { static bool flag = false; return flag; }
};
static void initialise() {
    if (!once<float>::done()) { once<float>::done() = true; table_value = 1.0f; }
}
static int supports(const assay_problem *, assay_message *) { return ASSAY_OK; }
static int prepare(const assay_problem *, const assay_env *, void **, size_t *, assay_message *m) {
    initialise();
    return table_value == 1.0f ? ASSAY_OK : assay_say(m, ASSAY_FAILED, "this module was not initialised");
}
static int launch(void *, const assay_tensors *t, void *, void *, assay_message *) {
    auto *q = assay_tensor_find(t, ASSAY_Q), *k = assay_tensor_find(t, ASSAY_K), *v = assay_tensor_find(t, ASSAY_V),
         *o = assay_tensor_find(t, ASSAY_O);
    int64_t S = k->shape[2], D = q->shape[3];
    std::vector<float> p(S);
    for (int64_t b = 0; b < q->shape[0]; ++b)
        for (int64_t h = 0; h < q->shape[1]; ++h)
            for (int64_t i = 0; i < q->shape[2]; ++i) {
                auto at = [&](const assay_tensor *x, int64_t r) { return (float *)x->data + b * x->stride[0] + h * x->stride[1] + r * x->stride[2]; };
                float high = -INFINITY, sum = 0;
                for (int64_t j = 0; j < S; ++j) {
                    float s = 0;
                    for (int64_t d = 0; d < D; ++d) s += at(q, i)[d] * at(k, j)[d];
                    p[j] = s / std::sqrt((float)D);
                    high = std::fmax(high, p[j]);
                }
                for (auto &x : p) sum += x = std::exp(x - high);
                for (int64_t d = 0; d < D; ++d) {
                    float a = 0;
                    for (int64_t j = 0; j < S; ++j) a += p[j] * at(v, j)[d];
                    at(o, i)[d] = a / sum * table_value;
                }
            }
    return ASSAY_OK;
}
static const assay_kernel kernels[] = {{sizeof(assay_kernel), ASSAY_ABI_VERSION, "mine", "attention", "cpu", supports, launch, prepare, nullptr, nullptr, 0, 0, nullptr, nullptr}};
ASSAY_MODULE(kernels)
C
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: attention, backend: cpu, build: {run: "g++ -std=c++17 -O2 -fPIC -shared -I$ASSAY_SOURCE/include mine.cc -o fa.so", output: fa.so, inputs: [mine.cc]}}
suites:
  pr: {problems: {a: attention/fp32/b1/h2/s64/d32}}
gate: {suite: pr, check: pr, candidate: mine}
Y
printf 'runs/\n*.so\n' >.gitignore; git add -A; git commit -qm first
sed -i 's/this module was not initialised/this module is not initialised/' mine.cc # other bytes, the same speed
assay gate --baseline git:HEAD --isolation none --rounds 5 --iters 10 --json >out.json; code=$?
readelf -Ws fa.so | grep -q UNIQUE && echo "unique symbols are there"
python3 - <<'P'
import json
r = json.load(open('out.json'))
assert r["decision"]["verdict"] in ("maintained", "undecidable", "invalid"), r["decision"]["verdict"]  # noise may leave it open
assert all(c["outcome"] == "OK" for case in r["cases"] for c in case["checks"]), r["cases"]
print("both initialised")
P
grep -o 'separate processes' runs/*/report.md | head -1
[ $code = 0 ] || [ $code = 3 ]
