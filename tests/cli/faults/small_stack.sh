# Too small a stack is a sentence, not a crash; a limit that may be raised is raised, for what assay starts as well; and the
# smallest stack that is accepted is enough.
printf 'version: 1\nkernels: {a: {operator: attention, source: a.c}}\nsuites: {one: {problems: {a: attention/fp32/b1/h1/s32/d16}}}\n' >assay.yaml
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" a.c; echo "int unique_$$$RANDOM;" >>a.c
for kib in 64 1023; do
    for command in "gate --device sim:steady --candidate sim_slower5 --baseline sim" "list suites"; do
        (ulimit -s $kib; exec assay $command) 2>&1; echo "$kib: $?"
    done
done
smallest() { # command: with 1 MiB, and with less that may be raised (by root the hard limit too)
    (ulimit -s 1024; assay "$@" >out 2>&1; echo "1024: $? $*"; grep -E 'assay: error|signal' out)
    (ulimit -S -s 64; assay "$@" >out 2>&1; echo "64, may be raised: $? $*"; grep -E 'assay: error|signal' out)
}
smallest fuzz --kernel a --suite one
smallest gate --device sim:steady --candidate sim_slower5 --baseline sim --quiet
smallest calibrate --device sim:steady --kernel sim --suite sim --rounds 5 --quiet
assay fuzz --kernel a --suite one --json >result.json
smallest report result.json
echo 'int f(void) { return missing; }' >>a.c
smallest build --kernel a 2>&1 | sed 's/: .* failed on/: COMPILER failed on/'
exit 0
