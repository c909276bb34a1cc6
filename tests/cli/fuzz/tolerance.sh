# A kernel that is less exact on purpose: it fails by the operator's tolerance, passes by its own or its suite's, and every report says so.
sed 's/for (int64_t d = 0; d < dim; ++d) o\[d\] = 0;/&\n    sum *= 1.0004f;/' "$ASSAY_SOURCE/tests/cli/_slow_attention.c" >mine.c
manifest() { # $1: the kernel's tolerance, $2: the suite's
    cat >assay.yaml <<Y
version: 1
kernels: {mine: {operator: attention, backend: cpu, source: mine.c$1}}
suites: {tiny: {problems: {t: attention/fp32/b1/h2/s33/d16}$2}}
Y
}
checks() { assay fuzz --kernel mine --suite tiny >out; echo "exit $?"; grep -E '/1 mine|tolerance of its own' out; }
manifest "" ""; checks
manifest ", tolerance: {rtol: 1e-3, two_x: off, why: \"sums run 0.04 % high\"}" ""; checks
for format in text markdown html; do
    assay report last --format $format | grep -o 'tolerance of its own: mine: .*high' | head -1
done
manifest "" ", tolerance: {atol: 1e-3, two_x: off, why: the suite knows}"; checks
python3 - runs/*/result.json <<'P'
import json, os, sys
last = json.load(open(max(sys.argv[1:], key=os.path.getmtime))) # ids of one second are in no order
print(last["sides"][0].get("tolerance"), last["checks"][0]["tolerance"])
P
manifest ", tolerance: {rtol: 1e-3, why: the 2 x rule stays}" ""; checks; grep -o 'two_x: .*error max' out | head -1
# The kernel's own comes before the suite's.
manifest ", tolerance: {rtol: 1e-6, two_x: off, why: stricter}" ", tolerance: {atol: 1, two_x: off, why: wide}"; checks
