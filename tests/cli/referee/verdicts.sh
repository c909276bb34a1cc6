# SPDX-License-Identifier: Apache-2.0
# Each kind of candidate gets its verdict, its exit code, and a document that says why.
. "$ASSAY_SOURCE/tests/cli/referee/_project.sh"
candidate wrong.c 'for (int i = 0; i < n; ++i) y[i] = i < 2 ? 2 * x[i] : 3 * x[i];'
candidate crash.c '(void)x; (void)n; y[0] = 0; abort();'
candidate hang.c '(void)x; (void)n; for (volatile int k = 0;; k = k + 1) y[0] = 0;'
candidate syntax.c 'for (;;'
candidate steals.c '}
#include "/etc/shadow"
void unused(void) {'
candidate other.c '(void)x; (void)y; (void)n; }
__attribute__((constructor)) static void load(void) { abort();'
asked() { # FILE WANTED-CODE WANTED-VERDICT OPTIONS...
    local file=$1 code=$2 verdict=$3 got
    shift 3
    assay referee twice "$file" --rounds 0 --json --problem twice/n1,twice/n1000 "$@" >answer.json 2>err
    got=$?
    [ $got = "$code" ] || complain "$file: code $got, not $code: $(cat err)"
    [ "$(member answer.json verdict)" = "$verdict" ] || complain "$file: $(member answer.json verdict), not $verdict: $(member answer.json sentence)"
    [ "$(member answer.json exit_code)" = "$code" ] || complain "$file: its document has another exit code"
}
asked candidates/right.c 0 right
[ "$(member answer.json checked_count)" -ge 8 ] || complain "few checks: $(member answer.json checked_count)"
run=$(member answer.json run_id)
cmp -s answer.json "runs/$run/referee.json" || complain "the run's folder has another document"
asked candidates/wrong.c 1 wrong
[ "$(member answer.json smallest_problem)" = twice/n3 ] || complain "the smallest problem is $(member answer.json smallest_problem)"
[ "$(member answer.json finding)" = wrong_value ] || complain "the finding is $(member answer.json finding)"
repeat=$(member answer.json repeat)
[[ $repeat == *"twice/n3"*--seed* ]] || complain "repeat: $repeat"
eval "$repeat --rounds 0" >repeated 2>&1
[ $? = 1 ] && grep -q 'wrong on twice/n3' repeated || complain "the command does not repeat it: $(cat repeated)"
asked candidates/crash.c 1 crashed --no-shrink
asked candidates/hang.c 1 timed_out
asked candidates/syntax.c 1 does_not_compile
grep -q expected <<<"$(member answer.json compiler)" || complain "no words of the compiler: $(cat answer.json)"
asked candidates/steals.c 1 does_not_compile
grep -qE 'root:|denied' <<<"$(member answer.json compiler)" || complain "what of /etc/shadow? $(member answer.json compiler)"
asked candidates/other.c 1 does_not_load
cp -r candidates folder && cp candidates/wrong.c folder/mine.c
asked folder 1 wrong --no-shrink
asked candidates/right.c 0 right --thorough --leave-nothing
[ "$(find runs -name referee.json -newer err | wc -l)" = 0 ] || complain "--leave-nothing left its run"
# Nothing to judge it by, or asked wrongly.
refused() { # WANTED-CODE WORDS ARGUMENTS...
    local code=$1 words=$2
    shift 2
    assay referee "$@" --rounds 0 >out 2>err
    local got=$?
    [ $got = "$code" ] && grep -q -- "$words" err || complain "assay referee $*: code $got, not $code: $(cat err)"
}
refused 64 'no operator' nothing candidates/right.c
refused 64 'which candidate' twice
refused 64 'one candidate at a time' twice candidates/right.c candidates/wrong.c
refused 66 'no file' twice candidates/none.c
refused 69 'no referee listens' --connect "$PWD/none.sock" candidates/right.c
assay referee twice candidates/right.c --rounds 1 2>err >out
[ $? = 64 ] || complain "--rounds 1 is taken"
echo 'void twice_reference(const double *x, double *y, int n) { (void)x; for (;;) y[0] = n; }' >reference.c
sed -i 's/case_s: 1/case_s: 1, reference_s: 1/' assay.yaml
refused 65 'reference' twice candidates/right.c
[ $exit_code = 0 ] && echo "all verdicts are right"
exit $exit_code
