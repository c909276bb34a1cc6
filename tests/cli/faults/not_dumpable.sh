# A process of the same user, as a kernel under test is one, can neither read nor write the memory of the program that judges it.
grep -q __asan_init "$ASSAY" && { echo "SKIPPED: the sanitizers trace their own process"; exit 0; }
as=(env)
if [ "$(id -u)" = 0 ]; then # root may do everything: be nobody
    command -v setpriv >/dev/null || { echo "SKIPPED: no setpriv to leave root"; exit 0; }
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
fi
home=$(mktemp -d); trap 'rm -rf "$home"' EXIT
[ "$(id -u)" = 0 ] && chown 65534 "$home"
"${as[@]}" test -x "$ASSAY" && "${as[@]}" test -w "$home" || { echo "SKIPPED: another user cannot run $ASSAY"; exit 0; }
cd "$home" || exit 9
export HOME=$home XDG_CACHE_HOME=$home/cache; unset CCACHE_DIR # that of the tests is not this user's
"${as[@]}" "$ASSAY" run cpu --only s512 --kernel naive --iters 20000 --sample-time 1ms --quiet >/dev/null 2>&1 &
pid=$!
wait_until sh -c "grep -q '\"kind\":\"case\"' runs/*/journal.jsonl"
"${as[@]}" sleep 100 & # a usual process of the same user, to see that this test can see
until [ "$(cat /proc/$!/comm)" = sleep ]; do sleep 0.01; done # before, it may be root's still
for process in "$pid assay" "$! sleep"; do
    set -- $process
    for file in "memory <>mem" "environment <environ"; do
        set -- "$1" "$2" $file
        "${as[@]}" sh -c "(exec 9${4%%[a-z]*}/proc/$1/${4##*[<>]}) 2>/dev/null" && echo "$3 of $2: open" || echo "$3 of $2: closed"
    done
done
kill $!; kill $pid; wait $pid
# What needs no other's leave still works: the program finds itself, builds, and its workers end with it.
printf 'version: 1\nkernels: {a: {operator: attention, source: a.c}}\nsuites: {one: {problems: {a: attention/fp32/b1/h1/s32/d16}}}\n' >assay.yaml
cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" a.c; echo "int unique_$RANDOM;" >>a.c
"${as[@]}" "$ASSAY" fuzz --kernel a --suite one >out 2>&1; echo "builds and checks: $?"
"${as[@]}" "$ASSAY" gate --device sim:steady --candidate sim_slower5 --baseline sim --quiet >out 2>&1; echo "decides: $?"
echo 'int f(void) { return missing; }' >>a.c
"${as[@]}" "$ASSAY" build --kernel a 2>&1 | grep -c "error: 'missing' undeclared"
