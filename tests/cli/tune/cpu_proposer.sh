# long: heats on a real processor, whose clocks are waited for
# Sources and patches from a proposer, on the processor: what does not compile, is no kernel, crashes when it is loaded, is wrong but
# fast or is another operator's has no time; a patch that is faster wins, and a source that was there before is not built again.
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
  pr: {problems: {a: scale/fp32/n65536, b: scale/fp32/n65537}}
Y
cat >proposer.py <<'P'
import json, re, sys
question = json.load(sys.stdin)
source, number = question["source"], question["number"]
patch = "--- a/x\n+++ b/x\n@@ -8,1 +8,1 @@\n-    for (int turn = 0; turn < TURNS; ++turn)\n+    for (int turn = 0; turn < %s; ++turn)\n"
if number == 1: print("int this is no C;")
if number == 2: print("int nothing;")
if number == 3: print(source.replace("ASSAY_MODULE", "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }\nASSAY_MODULE"))
if number == 4: print("// assay: predict 100x, since it does nothing\n" + patch % "0")
if number == 5: print("// assay: predict 4x\n" + patch % "10")
if number == 6: print(source.replace("\"scale\"", "\"gemm\""))
if number == 7: print(source.replace("turn < TURNS", "turn < 10"), end="") # as 5 made it
if number == 8: print(source, end="")
if number == 9: print("@@ -1 +1 @@\n-nothing like that\n+x\n")
if number == 10: print("@@ -0,0 +1 @@\n+//" + "x" * ((1 << 20) - 100)) # the source that it makes is too large
if number == 11: print(source.replace("turn < TURNS", "turn < 2"), end="")
P
assay tune --kernel mine --suite pr --proposer "python3 proposer.py" --rounds 3 --final-rounds 3 --iters 10 --max-variants 7 --quiet --output tune.json >out; code=$?
[ $code = 0 ] || [ $code = 3 ] || { cat out; exit $code; }
/usr/bin/python3 - <<'P'
import json
record = json.load(open("tune.json"))
for one in record["proposals"]: print(one["number"], one["answer"], one.get("variant", one.get("reason")))
for one in record["variants"]:
    is_right = one["fate"] in ("alive", "dropped", "no_data") # a busy machine may time nothing in a heat
    assert is_right or "speedup" not in one, one
    print(one["config"], "right" if is_right else one["fate"], one.get("prediction", ""))
# A machine that is too busy for a final decides nothing of it; what was built and right stands above.
first = (record["finalists"] or [{"rank": "no_data"}])[0]
is_timed = any("speedup" in one for one in record["variants"])
if (record["finalists"] or not is_timed) and all(one["rank"] == "no_data" for one in record["finalists"]): print("the last one wins")
elif (first.get("config"), first["rank"]) == ("proposal=11", "elite") and first["speedup"] > 2: print("the last one wins")
else: print(record["finalists"])
log = open(max(__import__("glob").glob("runs/*/log.md"))).read()
if first["rank"] == "elite": assert "Read the source of proposal 11, put it in place of the kernel's; then gate it" in log, log
P
