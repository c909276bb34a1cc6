# Nobody answers, or refuses: three tries, a warning, the exit code of the gate; and it is told by the next run. Forms of a webhook. What the
# manifest cannot say.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
export ASSAY_WEBHOOK_URL=http://127.0.0.1:$hook_port/secret-of-the-hook
echo 'notify: {webhook: slack, branches: "release,main"}' >>assay.yaml
git commit -qam "notify"
sed -i 's/base_us: 100/base_us: 108/' assay.yaml
warned() { grep -h '^warning: ' ../err.txt | sed 's/127.0.0.1:[0-9]*/HOST/g; s/after [0-9]* ms/after N ms/'; }
touch ../got/broken
sim_gate >../report.txt 2>../err.txt
echo "refused: $?, tried $(wc -c <../got/tried) times"
warned
ASSAY_WEBHOOK_URL=http://127.0.0.1:1/secret-of-the-hook assay notify last 2>&1 | sed 's/after [0-9]* ms/after N ms/'
echo "nobody there: ${PIPESTATUS[0]}"
ASSAY_WEBHOOK_URL='' assay notify last 2>&1
rm ../got/broken
python3 - <<'P'
import glob, json
document = json.load(open(max(glob.glob("runs/*/result.json"))))
document["decision"]["cases"][0]["short_name"] = "<!channel>&\r\nBcc: somebody@example.org"
json.dump(document, open("../evil.json", "w"))
P
assay notify ../evil.json
sed 's/run_id":"[^"]*/run_id":"ID/; s/report [0-9a-z-]*/report ID/' ../got/hook.1; echo
assay notify last
grep -c secret-of ../err.txt ../report.txt
for wrong in '{webhook: irc}' '{email_to: a@b}' '{pager: 1}'; do
    sed -i "s/^notify: .*/notify: $wrong/" assay.yaml
    assay list suites 2>&1 >/dev/null | head -1 | sed "s|$PWD/||"
done
