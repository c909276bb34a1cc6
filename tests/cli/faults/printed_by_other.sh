# No sentence about a kernel quotes what another one has printed, however much that is and whenever it is printed.
grep -q __asan_init "$ASSAY" && { echo "SKIPPED: the sanitizers of clang take a module's exceptions"; exit 0; }
cat >assay.yaml <<'Y'
version: 1
kernels:
  prints: {operator: attention, backend: cpu, source: prints.c}
  aborts: {operator: attention, backend: cpu, source: aborts.c}
suites:
  one: {problems: {a: attention/fp32/b1/h1/s32/d16}}
limits: {case_s: 20}
Y
make_kernel() { # file, statement of a launch
    python3 - "$@" <<'P'
import os, sys
text = open(os.environ["ASSAY_SOURCE"] + "/tests/broken/right.c").read()
at = text.index("static int launch(")
at = text.index("{", at) + 1
open(sys.argv[1], "w").write("#include <stdio.h>\n#include <stdlib.h>\n" + text[:at] + " static int count; ++count; " + sys.argv[2] + text[at:])
P
}
cp "$ASSAY_SOURCE/tests/broken/broken.h" .
make_kernel prints.c 'fprintf(stderr, "%d: aborts steals and is killed by signal 9\n", count);'
make_kernel aborts.c 'if (count == 60) { fprintf(stderr, "words of its own\n"); abort(); }'
for isolation in process none; do
    assay gate --baseline prints --candidate aborts --suite one --no-check --rounds 5 --iters 10 --isolation $isolation --output-dir $isolation >out 2>said; echo "exit $?"
    python3 -c '
import glob, json, sys
for case in json.load(open(glob.glob(f"{sys.argv[1]}/*/result.json")[0]))["cases"]:
    for check in case["checks"]:
        if check["outcome"] != "OK": print(sys.argv[1], check["side"], check["outcome"], check["message"])' $isolation
done
