# slow with sanitizers: notify/once and sim/crash_and_hang take its branches
# A command that is killed while it sends leaves the message to the next one, which sends it once. Killed after a server took it and before it
# said so, it is sent again: with the same id, so that a receiver can know it.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by "$both_ways"
slower
killed_in_a() { # WHAT FILES: a gate that is killed when both servers do that, which the files show
    touch "../got/$1"
    rm -f ../got/*.tries
    assay gate --device sim:steady --baseline git:HEAD --quiet >>../report.txt 2>&1 & # no function: $! is assay itself
    local gate=$!
    wait_for "$2" "$3"
    kill -KILL $gate
    wait $gate 2>/dev/null
    rm "../got/$1"
    got "killed in a $1"
}
killed_in_a swallow hook.1 mail.1
sim_gate >../report.txt 2>../err.txt
got "the next gate: exit $?"
python3 - <<'P'
import json, re
hooks = [json.load(open(f"../got/hook.{number}")) for number in (1, 2)]
mails = [open(f"../got/mail.{number}").read() for number in (1, 2)]
ids = [re.search("Message-ID: (.*)", mail).group(1) for mail in mails]
print("the same:", hooks[0] == hooks[1], ids[0] == ids[1], hooks[0]["id"] in ids[0])
P
rm -r .assay ../got/hook.[12] ../got/mail.[12]
killed_in_a hang hook.tries mail.tries
assay notify last
got "by hand"
sim_gate >../report.txt 2>../err.txt
got "the next gate: exit $?"
if warned | grep .; then exit 9; fi
