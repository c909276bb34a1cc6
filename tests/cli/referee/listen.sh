# SPDX-License-Identifier: Apache-2.0
# A sample of the storm (tests/referee_storm.py, whose 1000 candidates are of `make campaign`): each kind once, and some again.
"$ASSAY_SOURCE/tests/referee_storm.py" --count 20 >out 2>&1 || { cat out; exit 1; }
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
mkdir tmp
TMPDIR=$PWD/tmp assay referee twice --rounds 0 --problem n=7 --listen s >served 2>&1 &
server=$!
trap 'kill $server 2>/dev/null' EXIT
wait_until test -s served
assay referee --connect s candidates/right.c --quiet --name first || complain "the client's code is $?"
assay referee --connect s candidates/none.c >out 2>err
[ $? = 65 ] && grep -q 'no file' err || complain "a file that is not there: $(cat err)"
assay referee twice --listen s >out 2>err
[ $? = 69 ] && grep -q 'another referee' err || complain "two servers at one socket: $(cat err)"
[ "$(stat -c %a s)" = 600 ] || complain "the socket's mode is $(stat -c %a s)"
# One that goes away while it is judged leaves nothing: its assay is killed, and can remove nothing itself.
modules() { find . "$XDG_CACHE_HOME/assay/modules" -name module.so; }
modules >before
candidate hang.c '(void)x; (void)n; for (volatile int k = 0;; k = k + 1) y[0] = 0;'
assay referee --connect s candidates/hang.c >out 2>&1 &
client=$!
has_gone() { modules | cmp -s before; }
has_more() { [ "$(modules | wc -l)" -gt "$(wc -l <before)" ]; }
export -f modules has_more has_gone
wait_until has_more
kill $client
wait_until has_gone || complain "its module is left: $(modules | diff before -)"
exit $exit_code
