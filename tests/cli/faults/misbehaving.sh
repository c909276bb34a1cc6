# One kernel that misbehaves on one problem in four ways: each is recorded by its outcome, the rest is measured.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
cat >assay.yaml <<'Y'
version: 1
kernels:
  segfault: {operator: attention, backend: cpu, source: segfault.c}
  forever: {operator: attention, backend: cpu, source: forever.c}
  leaves: {operator: attention, backend: cpu, source: leaves.c}
  past: {operator: attention, backend: cpu, source: past.c}
suites:
  three: {problems: {a: attention/fp32/b1/h1/s32/d16, bad: attention/fp32/b1/h1/s33/d16, c: attention/fp32/b1/h1/s48/d16}}
limits: {case_s: 4}
Y
make_kernel() { # name, statement
    python3 - "$1" "$2" <<'P'
import os, sys
text = open(os.environ["ASSAY_SOURCE"] + "/tests/cli/_slow_attention.c").read()
mark = "    const struct assay_cpu_stream *cpu = stream;\n"
assert mark in text
text = "#include <stdlib.h>\n#include <unistd.h>\n" + text.replace(mark, mark + "    if (job.q->shape[2] == 33) { " + sys.argv[2] + " }\n")
open(sys.argv[1] + ".c", "w").write(text)
P
}
make_kernel segfault '*(volatile int *)8 = 1;'
make_kernel forever 'for (volatile int i = 0;; ++i) {}'
make_kernel leaves 'exit(0);'
make_kernel past '((float *)job.o->data)[job.o->shape[2] * job.o->shape[3] + 2] = 1;'
for kernel in segfault forever leaves past; do
    assay bench --kernel $kernel --suite three --iters 6 --json >$kernel.json; code=$?
    python3 - $kernel $code <<'P'
import json, sys
r = json.load(open(sys.argv[1] + ".json"))
out = []
for case in r["cases"]:
    check = case["checks"][0]
    n = sum(len(s["duration_ns"]) for rd in case.get("rounds", []) for s in rd["samples"])
    out.append(f'{case["short_name"]} {check["outcome"]} {check.get("finding", "-")} {"measured" if n else "not measured"}')
print(sys.argv[1], "exit", sys.argv[2], "|", "; ".join(out))
P
done
no_workers
