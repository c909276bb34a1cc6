# A command that finds another one sending waits three seconds, not for its dead server, and leaves its message: neither that one, which ends
# later, nor anything else loses it. A lock that somebody holds on the memory ends a command, too.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by '{webhook: json}'
slower
touch ../got/broken
sim_gate >../report.txt 2>../err.txt
make_results
assay notify ../neither.json >../out.txt 2>&1
rm -r .assay ../got/*
touch ../got/hang
assay notify ../one.json 2>../first.txt &
first=$!
wait_for hook.tries
SECONDS=0
assay notify ../both.json 2>&1 | steady
echo "exit ${PIPESTATUS[0]}, $([ $SECONDS -lt 8 ] && echo soon)"
kill -0 $first && echo "the first is at work"
wait $first
steady <../first.txt
rm ../got/hang
assay notify ../both.json
got "both"
exec 9>"$(echo .assay/notify-*.json.lock)"
flock 9
assay notify ../both.json 2>&1 9>&- | steady | sed "s|'[^']*/notify-[0-9a-f]*|'NOTIFY|"
