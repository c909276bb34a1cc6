# Nobody answers, or refuses: three tries, one line of warning, the exit code of the gate; the next command tells it, once. Forms of a webhook.
# What the manifest cannot say.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by '{webhook: slack, branches: "release,main"}'
slower
touch ../got/broken
sim_gate >../report.txt 2>../err.txt
echo "refused: $?"
tries hook
warned
ASSAY_WEBHOOK_URL=http://127.0.0.1:1/secret-of-the-hook assay notify last 2>&1 | steady
echo "nobody there: ${PIPESTATUS[0]}"
ASSAY_WEBHOOK_URL='' assay notify last 2>&1 | steady
echo "no address: ${PIPESTATUS[0]}"
rm ../got/broken
assay notify last
sed 's/report [0-9a-z-]*/report ID/' ../got/hook.1; echo
assay notify last
python3 - <<'P'
import glob, json, os
document = json.load(open(max(glob.glob("runs/*/result.json"), key=os.path.getmtime)))
for case in document["decision"]["cases"]:
    case["name"] += "x"
document["decision"]["cases"][0]["short_name"] = "<!channel>&\r\nBcc: somebody@example.org"
json.dump(document, open("../evil.json", "w"))
P
assay notify ../evil.json
sed 's/report [0-9a-z-]*/report ID/' ../got/hook.2; echo
grep -c secret-of ../err.txt ../report.txt
grep -l secret-of .assay/* | wc -l
for wrong in '{webhook: irc}' '{email_to: a@b}' '{pager: 1}'; do
    sed -i "s/^notify: .*/notify: $wrong/" assay.yaml
    assay list suites 2>&1 >/dev/null | head -1 | sed "s|$PWD/||"
done
