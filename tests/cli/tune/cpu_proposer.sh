# long: heats on a real processor, whose clocks are waited for
# Sources and patches from a proposer, on the processor: what does not compile, is no kernel, crashes when it is loaded, is wrong but
# fast or is another operator's has no time, and a source that was there before is not built again. Of the two that are right the faster
# one is first, unless the machine was too busy to time it: then nothing is claimed.
kernel() { sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d'; }
mkdir -p kernels/mine && kernel >kernels/mine/plain.c
sed -i 's|    for (int64_t i = 0; i < x->shape\[0\]; ++i)|    for (int turn = 0; turn < TURNS; ++turn)\n&|; s|#include <assay/kernel.h>|&\n#include "turns.h"|' kernels/mine/plain.c
echo '#define TURNS 40' >kernels/mine/turns.h
sed -i 's|((float \*)y->data)\[i\]|((volatile float *)y->data)[i]|' kernels/mine/plain.c
cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: cpu, source: kernels/mine/plain.c}
suites:
  pr: {problems: {a: scale/fp32/n16384}}
Y
cat >proposer.py <<'P'
import json, re, sys
question = json.load(sys.stdin)
source, number = question["source"], question["number"]
patch = "--- a/x\n+++ b/x\n@@ -8,1 +8,1 @@\n-    for (int turn = 0; turn < TURNS; ++turn)\n+    for (int turn = 0; turn < %s; ++turn)\n"
if number == 1: print("int this is no C;")
if number == 2: print("int nothing;")
if number == 3: print(source.replace("ASSAY_KERNEL", "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\nASSAY_KERNEL"))
if number == 4: print("// assay: predict 100x, since it does nothing\n" + patch % "0")
if number == 5: print("// assay: predict 4x\n" + patch % "10")
if number == 6: print(source.replace("\"scale\"", "\"gemm\""))
if number == 7: print(source.replace("turn < TURNS", "turn < 10"), end="") # as 5 made it
if number == 8: print(source, end="")
if number == 9: print("@@ -1 +1 @@\n-nothing like that\n+x\n")
if number == 10: print("@@ -0,0 +1 @@\n+//" + "x" * ((1 << 20) - 100)) # the source that it makes is too large
if number == 11: print(source.replace("turn < TURNS", "turn < 2"), end="")
P
report_of tune --kernel mine --suite pr --proposer "python3 proposer.py" --rounds 2 --final-rounds 3 --iters 6 --sample-time 200us --max-variants 7 --output tune.json >out; code=$?
[ $code = 0 ] || [ $code = 3 ] || { cat out; exit $code; }
/usr/bin/python3 - <<'P'
import json
record = json.load(open("tune.json"))
for one in record["proposals"]: print(one["number"], one["answer"], one.get("variant", one.get("reason")))
for one in record["variants"]:
    is_right = one["fate"] in ("alive", "dropped", "no_data") # a busy machine may time nothing in a heat
    assert is_right or "speedup" not in one, one
    print(one["config"], "right" if is_right else one["fate"], one.get("prediction", ""))
elite = [one for one in record["finalists"] if one["rank"] == "elite"]
for one in record["finalists"]: assert one["config"] in ("proposal=5", "proposal=11"), one
for one in elite: assert one["speedup"] > 1.5, one # 4 and 20 times less to do
untimed = {one["config"] for one in record["variants"] + record["finalists"] if one.get("fate", one.get("rank")) == "no_data"}
if elite: assert elite[0]["config"] == "proposal=11" or "proposal=11" in untimed, record
else: assert all(one["rank"] in ("no_data", "unproven") for one in record["finalists"]), record["finalists"]
print("the faster one is first, or was not timed")
log = open(max(__import__("glob").glob("runs/*/log.md"))).read()
if elite: assert f"Read the source of {elite[0]['config'].replace('=', ' ')}, put it in place of the kernel's; then gate it" in log, log
P
