# Where nothing is told, the command says why, so that the setup can be tried: no manifest, no notify, another branch, no branch, nothing slower,
# told before. --json is JSON.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
sim_gate --measure-same >../report.txt 2>../err.txt
make_results
notify() { assay notify "$@" 2>&1 | sed "s|$PWD/||"; }
(mkdir ../empty && cd ../empty && notify ../one.json --branch main)
notify ../one.json
notify_by '{webhook: json, branches: "main, release"}'
notify ../one.json --branch topic
git checkout -q --detach
notify ../one.json
notify ../neither.json --branch main
notify ../one.json --branch main
notify ../one.json --branch main
python3 - <<'P'
import json
document = json.load(open("../one.json"))
for case in document["decision"]["cases"]:
    case["accepted"] = "label"
json.dump(document, open("../accepted.json", "w"))
del document["decision"]
json.dump(document, open("../bench.json", "w"))
P
notify ../accepted.json --branch release
notify ../bench.json --branch release
notify ../one.json --branch topic --json | python3 -m json.tool --compact
notify ../one.json --branch release --json | python3 -m json.tool --compact
