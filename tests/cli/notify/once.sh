# A regression on a named branch is told once, by e-mail and webhook: not by the next run, again after it was mended; not on other branches,
# and not in a pull request (no branch is checked out). Names are text in headers and bodies; secrets are nowhere.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
export ASSAY_WEBHOOK_URL=http://127.0.0.1:$hook_port/secret-of-the-hook ASSAY_SMTP_USER='' ASSAY_SMTP_PASSWORD=secret-of-mail
cat >>assay.yaml <<Y
notify: {webhook: json, email_to: team@example.org, email_from: ci@example.org, smtp: "smtp://127.0.0.1:$mail_port"}
Y
git commit -qam "notify"
base=$(git rev-parse HEAD)
gate() { # WHAT BASE_US: gates the working tree against the first state, and says what was told
    sed -i "s/base_us: [0-9]*/base_us: $2/" assay.yaml
    assay gate --device sim:steady --baseline "git:$base" --measure-same --quiet >>../report.txt 2>>../err.txt
    echo "$1: exit $?, $(find ../got -name 'hook.*' | wc -l) to the webhook, $(find ../got -name 'mail.*' | wc -l) by mail"
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
gate "slower again" 108
python3 - <<'P'
import json
message = json.load(open("../got/hook.1"))
print(message["subject"], [(one["problem"], round(one["change_pct"])) for one in message["regressions"]], message["branch"])
mail = open("../got/mail.1", newline="").read()
head, body = mail.split("\r\n\r\n", 1)
print([line for line in head.split("\r\n") if not line.startswith("Date:")])
print([line.split(": ")[0] for line in body.split("\r\n")][1:3])
P
assay notify last --branch main
grep -rl "secret-of" ../report.txt ../err.txt ../got runs .assay 2>/dev/null | wc -l
cat ../err.txt | grep -v busy
