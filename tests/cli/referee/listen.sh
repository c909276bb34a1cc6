# SPDX-License-Identifier: Apache-2.0
# A sample of the storm (tests/referee_storm.py, whose 1000 candidates are of `make campaign`): each kind once, and some again.
"$ASSAY_SOURCE/tests/referee_storm.py" --count 20 >out 2>&1 || { cat out; exit 1; }
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
assay referee twice --rounds 0 --problem n=7 --listen s >served 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_until test -s served
assay referee --connect s candidates/right.c --quiet --name first || complain "the client's code is $?"
assay referee --connect s candidates/none.c >out 2>err
[ $? = 65 ] && grep -q 'no file' err || complain "a file that is not there: $(cat err)"
assay referee twice --listen s >out 2>err
[ $? = 69 ] && grep -q 'another referee' err || complain "two servers at one socket: $(cat err)"
[ "$(stat -c %a s)" = 600 ] || complain "the socket's mode is $(stat -c %a s)"
exit $exit_code
