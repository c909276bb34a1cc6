# Sourced by tests: a project on a simulated device, and receivers of our own; what they get is in ../got.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
command -v curl >/dev/null || { echo "SKIPPED: no curl, which sends messages"; exit 0; }
sim_project
mkdir ../got
python3 "$ASSAY_SOURCE/tests/cli/notify/_fake_receivers.py" ../got >../ports &
receivers=$!
trap 'kill $receivers' EXIT
until read -r hook_port mail_port <../ports; do sleep 0.05; done # a whole line
export ASSAY_WEBHOOK_URL=http://127.0.0.1:$hook_port/secret-of-the-hook ASSAY_SMTP_USER='' ASSAY_SMTP_PASSWORD=secret-of-mail
both_ways="{webhook: json, email_to: team@example.org, email_from: ci@example.org, smtp: \"smtp://127.0.0.1:$mail_port\"}"
notify_by() { # SETTINGS: committed
    echo "notify: $1" >>assay.yaml
    git commit -qam "notify"
}
slower() { sed -i 's/base_us: 100/base_us: 108/' assay.yaml; }
got() { echo "$1: $(find ../got -name 'hook.[0-9]*' | wc -l) to the webhook, $(find ../got -name 'mail.[0-9]*' | wc -l) by mail"; }
steady() { # what varies: ports, times, folders
    sed 's/127.0.0.1:[0-9]*/HOST/g; s/port [0-9]*/port N/g; s/(28) [^;]*/(28) TIMED OUT/g; s/after [0-9]* m[^;]*/after N ms/g
        s|kept in [^ ]*/\.assay/notify-[0-9a-f]*\.json|kept in FILE|'
}
warned() { grep -h '^warning: ' ../err.txt | steady; }
wait_for() { # FILES of ../got that are not empty
    local look file missing
    for look in $(seq 2400); do
        missing=''
        for file; do [ -s "../got/$file" ] || missing=$file; done
        [ -n "$missing" ] || return
        sleep 0.05
    done
    echo "no $missing"
}
tries() { echo "$1: $(cat "../got/$1.tries" 2>/dev/null | wc -c) tries"; }
make_results() { # of the newest run: ../neither.json, ../one.json, ../both.json, by what is slower
    python3 - <<'P'
import glob, json, os
document = json.load(open(max(glob.glob("runs/*/result.json"), key=os.path.getmtime)))
first, second = document["decision"]["cases"]
for name, slower in (("neither", ()), ("one", ("a",)), ("both", ("a", "b"))):
    for case, letter in ((first, "a"), (second, "b")):
        case["verdict"] = "regression" if letter in slower else "maintained"
    json.dump(document, open(f"../{name}.json", "w"))
P
}
