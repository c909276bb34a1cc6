# slow with sanitizers: tune/resume and sim/crash_and_hang take the path
# Killed with SIGKILL at three places and resumed: nothing is left running, every record that was in a journal is still there, byte by
# byte, and the elite is the known best.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
/usr/bin/python3 - <<'P'
import glob, json, os, signal, subprocess, time
words = ["assay", "tune", "--device", "sim:promise", "--suite", "pr", "--quiet", "--isolation", "process", "--output", "tune.json"]
def journals(): return {path: open(path, "rb").read() for path in glob.glob("runs/*/*/journal.jsonl")}
def whole(text): return text[: text.rfind(b"\n") + 1]
def ours():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(os.getcwd()) and int(pid) != os.getpid(): found.append(open(f"/proc/{pid}/cmdline").read().replace("\0", " "))
        except OSError: pass
    return [one for one in found if "assay" in one and "run.sh" not in one and "kill.sh" not in one]
for wanted in (1, 2, 3):
    child = subprocess.Popen(words + (["--resume", "last"] if wanted > 1 else []), stdout=subprocess.DEVNULL)
    while child.poll() is None and not any(f"heat-{wanted:03}" in path and text.count(b"\n") > 20 for path, text in journals().items()): time.sleep(.002)
    assert child.poll() is None, f"it ended before heat {wanted}: {child.returncode}"
    child.send_signal(signal.SIGKILL)
    child.wait()
    before = journals()
    for _ in range(100):
        if not ours(): break
        time.sleep(.1)
    assert not ours(), ours()
    print("killed in heat", wanted)
code = subprocess.run(words + ["--resume", "last"], stdout=subprocess.DEVNULL).returncode
after = journals()
for path, text in before.items(): assert after[path].startswith(whole(text)), path
record = json.load(open("tune.json"))
elite = [f for f in record["finalists"] if f["rank"] == "elite"]
factors = {"BLOCK_M": {16: 1, 32: .9, 64: .82, 128: .95}, "STAGES": {1: 1, 2: .88, 3: .94}, "WARPS": {2: 1, 4: .92}}
product = 1
for part in elite[0]["config"].split(","): product *= factors[part.split("=")[0]][int(part.split("=")[1])]
assert product < .82 * .88 * .92 * 1.03, elite
assert len({v["config"] for v in record["variants"]}) == len(record["variants"])
print("exit", code, "the best, and nothing was lost")
P
