# slow with sanitizers
# What a proposer wrote is compiled in the sandbox: it reads its kernel's folder and no other file of the user's, and a source that would
# never end, or fill memory or disk, costs its own variant and no more. What flags say of home and of folders changes nothing.
mkdir -p kernels/mine home && echo "secret words" >home/notes && echo "static const int secret_number = 7;" >notes.h
export HOME=$PWD/home
sed -n '/^```c$/,/^```$/p' "$ASSAY_SOURCE/docs/adding.md" | sed '1d;$d' >kernels/mine/plain.c
echo '#define NOTHING' >kernels/mine/own.h
cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: scale, backend: cpu, source: kernels/mine/plain.c, flags: [-DROOT=/, "-ffile-prefix-map=$HOME=.", "-I$HOME/", -I..]}
limits: {memory_gb: 1}
Y
cat >proposer.py <<'P'
import json, os, sys
question = json.load(sys.stdin)
root, number, source = os.getcwd(), question["number"], question["source"]
json.dump({one["variant"]: one["reason"] for one in question["tried"]}, open(os.environ["HOME"] + "/reasons.json", "w"))
head = {
    1: f'#include "{root}/home/notes"',
    2: f'#include "{root}/notes.h"',
    3: f'__asm__(".incbin \\"{root}/home/notes\\"");',
    4: '#include "/dev/zero"',
    5: '__asm__(".fill 1000000000000");',
    6: '#include "006.c"\n#include "006.c"', # 2 to the power of 200 times
    7: '#include "/proc/self/fd/1"',
    8: '#include "../../notes.h"',
    9: '#include "own.h"',
}
if number in head: print(head[number] + "\n" + source, end="")
P
assay tune --kernel mine --problem scale/fp32/n64 --proposer "python3 ./proposer.py" --proposer-time 4s --rounds 2 --final-rounds 3 --iters 6 \
    --max-variants 9 --output tune.json >said; code=$?
[ $code = 0 ] || [ $code = 3 ] || { cat said; exit $code; }
grep '^proposed sources' said
/usr/bin/python3 - <<'P'
import glob, json, shutil
reasons = json.load(open(glob.glob("runs/*/proposals/scratch/reasons.json")[0]))
denied, memory, disk, late = "Permission denied", "out of memory", "File too large", "was ended: it ran for more than 4 s"
for number, said in enumerate((denied, denied, "file not found", memory, disk, late), 1):
    reason = reasons[f"proposal={number}"]
    # A sanitizer has reserved terabytes, beside which a limit of memory is none: there the time ends it.
    is_ended = number == 4 and late in reason and b"__asan_init" in open(shutil.which("assay"), "rb").read()
    print(number, said if said in reason or is_ended else reason)
for one in json.load(open("tune.json"))["variants"]:
    print(one["config"], one["fate"] if one["fate"] == "not_built" else "built")
P
grep -rl "secret words" runs; echo "nobody was told"
sed -n 's/^By .*python3.*`\. *//p' runs/*/log.md
