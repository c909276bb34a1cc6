# Two kernels have problems of one name: each is told of by itself, whether they are gated one by one or by `gate --all`. What has the baseline's
# machine code, which is not measured, is not slower any more.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
sed -i 's/^suites:/  second: {operator: scale, backend: sim, sim: {base_us: 50}}\n&/' assay.yaml
notify_by '{webhook: json}'
gate() { # WHAT ARGUMENTS
    local what=$1
    shift
    report_of gate --device sim:steady --baseline git:HEAD "$@" >>../report.txt 2>>../err.txt
    got "$what: exit $?"
}
slower
gate "mine" --candidate mine
sed -i 's/base_us: 50/base_us: 54/' assay.yaml
gate "second" --candidate second
gate "mine again" --candidate mine
gate "all" --all
git commit -qam "as it is now"
gate "all, the same code" --all
sed -i 's/base_us: 54/base_us: 58/' assay.yaml
gate "all, second slower again" --all
assay notify "$(ls -td runs/*-all | head -1)/result.json"
grep -v busy ../err.txt && exit 9
python3 - <<'P'
import json
for number in (1, 2, 3):
    message = json.load(open(f"../got/hook.{number}"))
    print([one["problem"] for one in message["regressions"]], message["text"].split("\n")[1].split(" slower")[0])
P
