# A server that refuses a message for good (403, 550) is asked once in a command, and gets the newer ones all the same; so is one whose address
# is none. What was refused is kept, and the webhook's address, which the server repeats, is not shown.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
mkdir ../bin
printf '#!/bin/sh\necho >>../calls; exec %s "$@"\n' "$(command -v curl)" >../bin/curl
chmod +x ../bin/curl
PATH=$PWD/../bin:$PATH
notify_by "$both_ways"
slower
touch ../got/mail.broken
ASSAY_WEBHOOK_URL='http://[secret-of-the-hook' sim_gate >../report.txt 2>../err.txt
got "no address"
warned | sed 's/(3) [^;]*/(3) WHY/'
echo "calls of curl: $(wc -l <../calls), tries by mail: $(wc -c <../got/mail.tries)"
rm ../got/*
make_results
assay notify ../neither.json
rm -r .assay ../got/*
echo scale/fp32/n64 >../got/hook.refused
echo 'mine: a' >../got/mail.refused
assay notify ../one.json 2>>../err.txt
tries hook
tries mail
assay notify ../both.json 2>&1 | tee -a ../err.txt | steady
got "the newer one"
tries hook
tries mail
rm ../got/*.refused
assay notify ../both.json
got "refused no more"
grep -c secret-of ../err.txt
true
