# slow with sanitizers: notify/kernels, notify/queue and notify/refused take its branches
# A server that fails twice and then works is told in one command, once; so is a slow one, which is not asked again while it works. Regressions
# that came one after the other while a server was dead are a message each, and go out in their order with the next gate.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by '{webhook: json}'
slower
echo 2 >../got/fails
sim_gate >../report.txt 2>../err.txt
got "500, 500, 200: exit $?"
tries hook
make_results
assay notify ../neither.json
echo 2 >../got/slow
assay notify ../one.json
got "slow"
tries hook
rm ../got/slow
assay notify ../neither.json
touch ../got/broken
assay notify ../one.json 2>&1 | steady
assay notify ../both.json 2>&1 | steady
got "two regressions, one after the other, told to nobody"
rm ../got/broken
sim_gate >../report.txt 2>../err.txt
got "the next gate: exit $?"
if warned | grep .; then exit 9; fi
python3 - <<'P'
import json
for number in (2, 3, 4):
    print([one["problem"] for one in json.load(open(f"../got/hook.{number}"))["regressions"]])
P
