# Made NVBench files with their samples beside them: with itself a tie, slower a regression; clocks, devices, states that were
# skipped or have no samples.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli PYTHONDONTWRITEBYTECODE=1
python3 - <<'P' || exit 9
from _nvbench import *
import os
os.mkdir("in")
write("in/a.json", [state("S=4096", times(1.6e-3, seed=1)), state("S=512 T=F32", times(2e-5, seed=2))])
write("slow.json", [state("S=4096", times(1.7e-3, seed=3)), state("S=512 T=F32", times(2e-5, seed=4))])
write("fast.json", [state("S=4096", times(1.2e-3, seed=5)), state("S=512 T=F32", times(2e-5, seed=2))])
write("clocks.json", [state("S=4096", times(1.6e-3, seed=6), clocks=[1.9e9] * 60), state("S=512 T=F32", times(2e-5))])
write("summaries.json", [state("S=4096", times(1.6e-3)), state("S=512 T=F32", times(2e-5))], has_samples=False)
write("skipped.json", [state("S=4096", [], is_skipped=True, skip_reason="out of memory"), state("S=512 T=F32", times(2e-5))])
nan, inf = float("nan"), float("inf")
for name, bad in (("nan", nan), ("infinite", inf), ("zero", 0.0), ("negative", -1.0)):
    good = times(1.6e-3)
    write(name + ".json", [state("S=4096", good[:9] + [bad] + good[10:]), state("S=512 T=F32", times(2e-5))])
write("two.json", [state("S=4096", times(1.6e-3, seed=d), device=d) for d in (0, 1)], devices=(0, 1))
write("one.json", [state("S=4096", times(1.6e-3, seed=7), device=1)], devices=(0, 1))
write("no_clocks.json", [state("S=4096", times(1.6e-3, seed=6)), state("S=512 T=F32", times(2e-5))], has_clocks=False)
write("bad_clocks.json", [state("S=4096", times(1.6e-3), clocks=[nan] * 59 + [0.0]), state("S=512 T=F32", times(2e-5))])
write("cpu.json", [state("S=4096", times(1.6e-3, seed=6)), state("S=512 T=F32", times(2e-5))], tag="nv/cpu_only")
write("none.json", [])
P
try() { echo "--- $1"; assay compare in/a.json "$2" >out.txt 2>&1; echo "exit $?"; grep -hE "$3" out.txt; }
try itself in/a.json '^attn_fwd|do not state|one process'
try slower slow.json '^attn_fwd'
try faster fast.json '^attn_fwd/S=4096'
try clocks clocks.json '^- attn_fwd/S=4096|^attn_fwd/S=512'
try 'no clocks' no_clocks.json 'clocks'
try 'bad clocks' bad_clocks.json 'clocks'
for bad in cpu summaries skipped nan infinite zero negative; do try $bad $bad.json '^- attn_fwd/S=4096|^attn_fwd/S=512'; done
echo "--- two devices"
assay compare two.json two.json >out.txt 2>&1; echo "exit $?"
grep -hE '^attn_fwd|^device' out.txt
try 'one device against two' two.json '^attn_fwd'
try 'one device against another of its kind' one.json '^attn_fwd'
try none none.json 'no problem in common'
