# `doctor` on a machine with a (fake) GPU: persistence mode off and on, MIG on, the labels; no git at all ends with 69.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
says() { assay doctor --color never >out 2>err; grep -qE "$1" out || { complain "no line $1"; cat out err; }; }
export FAKE_NVML=persistence=0
says '^note +persistence mode +off on cuda:0'
says 'sudo nvidia-smi -i .* -pm 1$'
export FAKE_NVML=persistence=1
says '^ok +persistence mode +on, cuda:0'
says '^ok +cuda:0 '
if [ "$(id -u)" = 0 ]; then says '^ok +clock control +as root'; else says '^note +clock control +not root'; fi
says "^ok +runner's labels +\[self-hosted, gpu, [a-z0-9-]+\]"
counters=$(python3 - <<'P'
import ctypes, platform
attr = bytearray(112)
attr[4], attr[8], attr[40] = 112, 1, 0b1100001  # its size; instructions; disabled, without the kernel and the hypervisor
number = {"x86_64": 298, "aarch64": 241}[platform.machine()]
print("note" if ctypes.CDLL(None).syscall(number, (ctypes.c_char * 112).from_buffer(attr), 0, -1, -1, 0) < 0 else "ok")
P
)
says "^$counters +hardware counters +"
ends_with 0 assay doctor
FAKE_NVML=persistence=0 assay doctor --script >mend.sh && sh -n mend.sh || complain "the script is none"
grep -q '^sudo nvidia-smi -i .* -pm 1$' mend.sh || complain "the script does not mend persistence mode"
grep -vE '^(#|sudo |echo .*[|] sudo |set -x$)' mend.sh && complain "the script has a line that is no command for sudo"
assay doctor --json | python3 -c 'import json,sys; d = json.load(sys.stdin); assert d["worst"] in ("ok", "note") and all(f["level"] in ("ok", "note", "lacking") and f["text"] for f in d["findings"])' ||
    complain "the document is wrong"
mkdir programs && ln -s "$(command -v assay)" programs/assay
PATH=$PWD/programs ends_with 69 assay doctor
grep -qE '^lacking +git +not installed: no baseline of a revision' out || complain "git is not missed"
exit $failed
