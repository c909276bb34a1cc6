# A proposer that prints garbage, hangs, writes outside, repeats itself, forks, fails, connects: survived, told, and asked nothing twice
# when the tuning is resumed. What it may do is in docs/sandbox.md.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2, 3, 4]}, effects: [{when: {A: 3}, sim: {slower_pct: -20}}, {when: {A: 4}, sim: {slower_pct: 10}}]" \
    "a: scale/fp32/n64, b: scale/fp32/n65"
cat >proposer.py <<'P'
import json, os, socket, sys, time
question = json.load(sys.stdin)
number = question["number"]
with open(os.path.join(os.environ["HOME"], "asked"), "a") as file: print(number, file=file)
def refused(what):
    try: what()
    except (PermissionError, FileNotFoundError): return "refused"
    return "allowed"
def assay():
    pid = os.getppid()
    while b"tune" not in open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0"): pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    return pid
if number == 1: sys.stdout.buffer.write(b"\xff\x00\x01garbage")
if number == 2: time.sleep(1000)
if number == 3:
    tries = [lambda: open("/tmp/outside", "w"), lambda: open("assay.yaml", "a"), lambda: open("../../made", "w"),
             lambda: os.unlink("assay.yaml"), lambda: os.mkdir("folder"), lambda: os.kill(assay(), 9)]
    print("// assay: predict", [refused(one) for one in tries], "SECRET" if "MY_TOKEN" in os.environ else "no secret")
    print("// assay: config A=2")
if number == 4: print("// assay: config A=2")
if number == 5:
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            os.execv("/bin/sh", ["sh", "-c", "sleep 999.25; :"])
    print("assay: config A=3")
if number == 6: print("half an answer", flush=True); sys.exit("I give up")
if number == 7: print("int main;")
if number == 8:
    print("// assay: predict", refused(lambda: socket.create_connection(("127.0.0.1", int(open("port").read()) if os.path.exists("port") else 9), 2)))
    print("// assay: config A=4")
if number == 9: print("// assay: config A=5")
if number == 10: print("// assay: config A=1")
if number == 11: print(json.dumps({k: question[k] for k in ("kernel", "problems", "settings", "budget", "failures")}))
if number == 12: print("x" * (2 << 20))
P
export MY_TOKEN=secret
tune() { assay tune --kernel mine --device sim:steady --suite pr --proposer "python3 ./proposer.py" --proposer-time 10s "$@"; }
tune --output tune.json >said; echo "exit $?"
grep '^proposal' said | sed -E 's/after [0-9.]+ s/after <time>/'
/usr/bin/python3 - <<'P'
import json, os, time
record = json.load(open("tune.json"))
for one in record["proposals"]:
    if "prediction" in one: print(one["number"], one["variant"], one["prediction"])
print([(v["config"], v["fate"]) for v in record["variants"]], [(f["config"], f["rank"]) for f in record["finalists"]])
left = lambda: [pid for pid in os.listdir("/proc") if pid.isdigit() and b"999.25" in (open(f"/proc/{pid}/cmdline", "rb").read() if os.path.exists(f"/proc/{pid}/cmdline") else b"")]
for _ in range(50):
    if not left(): break
    time.sleep(.1)
print("left behind:", left(), "outside:", [path for path in ("/tmp/outside", "folder", "../../made") if os.path.exists(path)])
P
sed -n '/^## Proposals/,/^| 3 /p' runs/*/log.md | sed -E 's/after [0-9.]+ s/after <time>/'
run=$(basename runs/2*)
# Killed in the final: no answer leaves the record, of those that came after the last heat neither, and no heat, however late it is.
head -c $(($(stat -c %s runs/"$run"/final/journal.jsonl) / 2)) runs/"$run"/final/journal.jsonl >half && mv half runs/"$run"/final/journal.jsonl
tune --quiet --resume last --budget 1ms --output killed.json >/dev/null; echo "resumed in the final: exit $?"
/usr/bin/python3 -c '
import json
first, killed = ([(p["number"], p["answer"]) for p in json.load(open(name))["proposals"]] for name in ("tune.json", "killed.json"))
print(len(killed), "proposals, the same:", first == killed)'
rm -r "runs/$run/final" "runs/$run/heat-001/result.json" "runs/$run/proposals/012.json" 2>/dev/null
tune --quiet --resume last --output again.json >/dev/null; echo "resumed: exit $?"
tail -3 "runs/$run/proposals/scratch/asked" | tr '\n' ' '; echo
kept=runs/$run/proposals
change() { # $1: file, $2: text, $3: in its place
    cp "$kept/$1" whole.json
    sed -i "s/$2/$3/" "$kept/$1"
    tune --quiet --resume last 2>&1 >/dev/null | sed "s|$run|RUN|"; echo "changed: exit ${PIPESTATUS[0]}"
    cp whole.json "$kept/$1"
}
change 003.json '"number": 3' '"number": 3000000'
change 003.json '"variant": .*' ''
change 003.json '"variant": "A=2"' '"variant": "A=3"'
change 003.json '"variant": "A=2"' '"variant": "proposal=1"'
/usr/bin/python3 -c '
import json
first, again = (json.load(open(name)) for name in ("tune.json", "again.json"))
print("the same answers", [p["answer"] for p in first["proposals"]] == [p["answer"] for p in again["proposals"]], first["finalists"][0]["config"] == again["finalists"][0]["config"])'
