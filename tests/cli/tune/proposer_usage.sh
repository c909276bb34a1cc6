# slow with sanitizers
# What does not go together with a proposer, one that is not there, one that may use the network, and the two that come with assay.
. "$ASSAY_SOURCE/tests/cli/tune/_space.sh"
cp "$ASSAY_SOURCE"/examples/proposers/* .
for words in "--prompt prompt.md" "--proposer-time 3s" "--proposer-network" "--proposer x --strategy random" "--proposer x --try WARPS=2" "--proposer x --prompt nothing.md"; do
    # shellcheck disable=SC2086
    tune $words 2>&1; echo "exit $?"
done
tune --proposer ./not-there --quiet --json >none.json; echo "exit $?"
/usr/bin/python3 -c '
import json
record = json.load(open("none.json"))
print(len(record["proposals"]), record["proposals"][0]["answer"], record["proposals"][0]["reason"][:24])'
mkdir -p ../given/tool && echo secret >../given/secret
cat >../given/tool/__main__.py <<'P'
def read(path):
    try: return open(path).read() and "read"
    except PermissionError: return "refused"
print("// assay: predict", read("../given/tool/__main__.py"), read("../given/secret"))
print("// assay: config BLOCK_M=32")
P
tune --proposer "python3 ../given/tool" --max-variants 1 --quiet --json >given.json; echo "exit $?"
/usr/bin/python3 -c '
import json
print(json.load(open("given.json"))["proposals"][0].get("prediction"))'
cat >markup.sh <<'S'
case $(grep -oE '"number": *[0-9]+') in
    *[!0-9]1) printf '// assay: predict a|b <img src=x> [x](y)\n// assay: config BLOCK_M=64\n' ;;
    *) echo '![p](q) <b>|' >&2; exit 1 ;;
esac
S
tune --proposer "sh markup.sh" --quiet --json >markup.json; echo "exit $?"
sed -nE 's/^\| BLOCK_M=64.*(a.*y\)).*/\1/p; s/^\| 2 .*code 1: //p' "runs/$(/usr/bin/python3 -c 'import json; print(json.load(open("markup.json"))["run_id"])')/log.md"
slow="sleep 5; echo 'assay: config BLOCK_M=64'"
tune --proposer "$slow" --budget 4s --quiet --json >late.json; echo "exit $?"
tune --proposer "$slow" --max-variants 1 --resume last --quiet --json >resumed.json; echo "exit $?"
/usr/bin/python3 -c '
import json
for name in ("late.json", "resumed.json"):
    record = json.load(open(name))
    print(len(record["proposals"]), "asked,", len(record["variants"]), "measured")'
tune --proposer "python3 mutate.py" --max-variants 12 --quiet --json >mutate.json; echo "exit $?"
/usr/bin/python3 - <<'P'
import json
record = json.load(open("mutate.json"))
configs = [v["config"] for v in record["variants"]]
assert len(configs) == len(set(configs)) <= 12, configs
assert all(p["answer"] in ("taken", "refused") for p in record["proposals"]), record["proposals"]
asked = [p["config"] for p in record["proposals"]]
assert len(asked) == len(set(asked)), asked
print("mutated:", record["finalists"][0]["rank"])
P
cat >model.sh <<'S'
cat >"$HOME/prompt"
echo "predict: 1.3x, as an example"
echo '```c'
echo '// assay: config BLOCK_M=64,STAGES=2'
echo '```'
S
tune --prompt prompt.md --proposer "python3 ask_model.py sh model.sh" --max-variants 1 --quiet --json >model.json; echo "exit $?"
/usr/bin/python3 - <<'P'
import glob, json
record = json.load(open("model.json"))
print([(p["answer"], p.get("variant"), p.get("prediction")) for p in record["proposals"]][:1])
prompt = max(open(name).read() for name in glob.glob("runs/*/proposals/scratch/prompt"))
for part in ("You improve one compute kernel", "BLOCK_M: one of [16, 32, 64, 128], now 16", "scale/fp32/n64", "Nothing yet."): print(part in prompt)
P
/usr/bin/python3 -c '
import socket, sys
server = socket.create_server(("127.0.0.1", 0))
open("port", "w").write(str(server.getsockname()[1]))
server.settimeout(60)
server.accept()
print("somebody connected")' &
until [ -s port ]; do sleep 0.1; done
tune --proposer "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", int(open(\"port\").read()))); print(\"assay: config BLOCK_M=64\")'" --proposer-network --max-variants 1 --quiet --json >net.json; echo "exit $?"
wait
