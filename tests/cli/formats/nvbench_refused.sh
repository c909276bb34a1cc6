# NVBench files whose samples cannot be trusted: each is refused with a sentence that names the place, and code 65.
export PYTHONPATH=$ASSAY_SOURCE/tests/cli PYTHONDONTWRITEBYTECODE=1
cat >made.py <<'P'
import json, os, struct, sys
from _nvbench import *
def made(change, name="bad.json"):
    whole = document(name, [state("S=1", times(1e-3)), state("S=2", times(1e-3))])
    change(whole)
    json.dump(whole, open(name, "w"))
def states(whole): return whole["benchmarks"][0]["states"]
def data(whole, tag, at=0): return [s for s in states(whole)[at]["summaries"] if s["tag"].startswith(tag)][0]["data"]
def name(whole, text): data(whole, "nv/json/bin")[0]["value"] = text
def size(whole, text): data(whole, "nv/json/bin")[1]["value"] = text
def integer(whole, text): states(whole)[0]["summaries"][0]["data"][0]["value"] = text
def real(whole, text): states(whole)[0]["summaries"][1]["data"][0]["value"] = text
def put(path, count): open(path, "wb").write(struct.pack(f"<{count}f", *[1e-3] * count))
def link(whole):
    put("outside.bin", 60); os.symlink("../outside.bin", "bad.json-bin/link.bin"); name(whole, "bad.json-bin/link.bin")
def folder_link(whole):
    os.makedirs("elsewhere", exist_ok=True); put("elsewhere/0.bin", 60); os.symlink("elsewhere", "in-bin"); name(whole, "in-bin/0.bin")
def pipe(whole): os.mkfifo("bad.json-bin/pipe"); name(whole, "bad.json-bin/pipe")
changes = {
    "truncated": lambda w: put("bad.json-bin/0.bin", 59),
    "odd_length": lambda w: open("bad.json-bin/0.bin", "ab").write(b"x"),
    "oversized": lambda w: put("bad.json-bin/0.bin", 61),
    "mismatched": lambda w: (data(w, "nv/json/freqs-bin")[1].update(value="59"), put("bad.json-freqs-bin/0.bin", 59)),
    "escaping": lambda w: (put("../x.bin", 60), name(w, "../x.bin")),
    "escaping_inside": lambda w: name(w, "bad.json-bin/../bad.json-bin/0.bin"),
    "absolute": lambda w: name(w, "/etc/passwd"),
    "link": link, "folder_link": folder_link, "pipe": pipe,
    "folder": lambda w: name(w, "bad.json-bin"),
    "missing": lambda w: name(w, "bad.json-bin/9.bin"),
    "empty_name": lambda w: name(w, ""),
    "too_many": lambda w: size(w, "1048577"),
    "negative_size": lambda w: size(w, "-1"),
    "blank": lambda w: integer(w, "60 "), "hex": lambda w: integer(w, "0x3c"), "exponent": lambda w: integer(w, "6e1"),
    "overflow": lambda w: integer(w, "9223372036854775808"), "empty": lambda w: integer(w, ""),
    "a_number": lambda w: integer(w, 60),
    "bad_real": lambda w: real(w, "1.6e-3s"), "real_word": lambda w: real(w, "infinity"), "real_blank": lambda w: real(w, " 1"),
    "twice": lambda w: states(w)[1].update(name=states(w)[0]["name"]),
    "device": lambda w: states(w)[0].update(device=3),
    "major": lambda w: w["meta"]["version"]["json"].update(major=2),
}
made(changes[sys.argv[1]])
P
for bad in truncated odd_length oversized mismatched escaping escaping_inside absolute link folder_link pipe folder missing \
    empty_name too_many negative_size blank hex exponent overflow empty a_number bad_real real_word real_blank twice device major; do
    mkdir $bad && (cd $bad && mkdir in && cd in && PYTHONPATH=..:../..:$PYTHONPATH python3 ../../made.py $bad) || { echo "not made: $bad"; exit 9; }
    echo "--- $bad"
    assay compare $bad/in/bad.json $bad/in/bad.json 2>&1 | sed 's/^assay: error: //'
    echo "exit ${PIPESTATUS[0]}"
done
# The largest and the smallest 64-bit integers are integers.
for good in 9223372036854775807 -9223372036854775808; do
    mkdir in && (cd in && sed "s/^changes = {/&\"good\": lambda w: integer(w, '$good'),/" ../made.py >good.py && python3 good.py good) || exit 9
    assay compare in/bad.json in/bad.json >/dev/null; echo "good: $?"
    rm -r in
done
