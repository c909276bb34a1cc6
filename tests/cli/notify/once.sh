# A regression on a named branch is told once, by e-mail and webhook: not by the next run, again after it was mended; not on other branches,
# and not in a pull request (no branch is checked out). Names are text in headers and bodies; secrets are nowhere.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by "$both_ways"
base=$(git rev-parse HEAD)
gate() { # WHAT BASE_US: gates the working tree against the first state, and says what was told
    sed -i "s/base_us: [0-9]*/base_us: $2/" assay.yaml
    report_of gate --device sim:steady --baseline "git:$base" --measure-same >>../report.txt 2>>../err.txt
    got "$1: exit $?"
}
gate "as before" 100
gate "slower" 108
gate "slower still" 108
git checkout -q --detach
gate "slower, in a pull request" 108
git checkout -q -b topic
gate "slower, on another branch" 108
git checkout -q main
gate "mended" 100
GITHUB_SERVER_URL=https://github.example GITHUB_REPOSITORY=team/kernels GITHUB_RUN_ID=99 gate "slower again" 108
python3 - <<'P'
import json
message = json.load(open("../got/hook.1"))
print(message["subject"], [(one["problem"], round(one["change_pct"])) for one in message["regressions"]], message["branch"])
mail = open("../got/mail.1", newline="").read()
head, body = mail.split("\r\n\r\n", 1)
head = head.replace(message["id"], "ID")
print([line for line in head.split("\r\n") if not line.startswith("Date:")])
print([line.rsplit(": ", 1)[0] for line in body.split("\r\n")][1:3])
again = json.load(open("../got/hook.2"))
print(again["url"], again["id"] != message["id"], again["url"] in open("../got/mail.2").read())
P
assay notify last --branch main
grep -rl "secret-of" ../report.txt ../err.txt ../got runs .assay 2>/dev/null | wc -l
cat ../err.txt | grep -v busy
