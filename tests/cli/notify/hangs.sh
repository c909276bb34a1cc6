# slow with sanitizers
# Servers that take a connection and never answer: the report is there before they are asked, both are asked at once and within one deadline,
# and the exit code stays. What one way took is not sent that way again; the other way gets it later, once.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by "$both_ways"
slower
touch ../got/hang
SECONDS=0
assay gate --device sim:steady --baseline git:HEAD >../report.txt 2>../err.txt &
gate=$!
wait_for hook.tries mail.tries
grep '^the candidate is slower' ../report.txt
wait $gate
echo "exit $?, $([ $SECONDS -lt 25 ] && echo soon), $(cat ../got/most_open) servers asked at once"
warned
got "both hang"
rm ../got/hang
touch ../got/mail.hang
assay notify last 2>&1 | steady
got "one hangs"
rm ../got/mail.hang
assay notify last 2>&1
got "both answer"
assay notify last 2>&1
got "once more"
rm -r .assay
touch ../got/mail.broken
assay notify last 2>../err.txt
got "mail is refused: exit $?"
grep -c '\\n' ../err.txt || true # curl's line ends where its sentence does
