# slow with sanitizers
# Servers that are slow, not dead. Six seconds, which postfix lets a client wait for its greeting, are in time. A message that was sent whole
# without an answer goes out once more, and then counts as told: the server may well have taken both.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by "$both_ways"
slower
echo 6 >../got/slow
sim_gate >../report.txt 2>../err.txt
got "six seconds: exit $?"
if warned | grep .; then exit 9; fi
rm -r .assay ../got/slow
touch ../got/swallow
for i in 1 2 3; do
    assay notify last >../out.txt 2>../err.txt
    got "no answer, $i: exit $?"
    steady <../err.txt
done
cat ../out.txt
