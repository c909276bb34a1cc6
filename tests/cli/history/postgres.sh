# slow with sanitizers
# The history in PostgreSQL: the tests of this folder for both engines, on a server of their own; then what only a server can
# do: refuse a password, stop. The run stays in runs/, the exit code is the measurement's, and no password is said or kept.
failed=0
complain() { echo "$1"; failed=1; }
if assay history --store 'postgresql:///x?host=/nonexistent' 2>&1 | grep -q "built without"; then
    echo "SKIPPED: this assay was built without PostgreSQL"
    exit 0
fi
printf 'version: 1\nkernels: {}\nstore: postgresql://me:secret@/x?host=/nonexistent\n' >assay.yaml
bench() { assay bench --device sim:steady --kernel sim --quiet "$@" >/dev/null 2>err; }
ASSAY_STORE='' bench || complain "without a server the exit code is $?"
ls runs/*/result.json >/dev/null || complain "without a server the run is lost"
[ "$(grep -c "warning: this run is not in the history" err)" = 1 ] || complain "not one warning: $(cat err)"
ASSAY_STORE='' assay history 2>>err; [ $? = 69 ] || complain "no server: not 69"
grep -q "postgresql://me:\*\*\*@/x" err || complain "the address is not said: $(cat err)"
assay history --store mysql://me:secret@host/x 2>>err; [ $? = 64 ] || complain "another scheme: not 64"
grep -n secret err && complain "a password is said"
rm -rf runs

tests=$ASSAY_SOURCE/tests
cat >on_server.sh <<'S'
[ -e "$(dirname "$(readlink -f "$ASSAY")")/tests/fakes/libfake_cupti.so" ] && profiles=profiles
for test in keep baseline prune counted tunings ${profiles:-}; do
    (mkdir "$test" && cd "$test" && HISTORY_ADDRESS=$ASSAY_TEST_POSTGRES bash "$ASSAY_SOURCE/tests/cli/history/$test.sh") ||
        echo "on the server: $test.sh failed"
    psql -q "$ASSAY_TEST_POSTGRES" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' 2>psql.err || cat psql.err
done
export ASSAY_STORE=$ASSAY_TEST_POSTGRES
bench() { report_of bench --device sim:steady --kernel sim >out 2>err || echo "the bench failed: $(cat err)"; }
bench
[ -s err ] && echo "keeping a run printed something: $(cat err)"
assay baseline set --kernel sim --device sim:steady --output base.json --store "$ASSAY_STORE" --quiet >/dev/null 2>err ||
    echo "baseline set: $(cat err)"
grep -q 'postgresql://assay:\*\*\*@/postgres' base.json || echo "the command is not kept"
grep -rlE 'se(%25|%)cret' base.json runs && echo "a password is in a record"
assay history --json | grep -E 'se(%25|%)cret' && echo "a password is in the store"
psql -q "$ASSAY_TEST_POSTGRES" -c "CREATE ROLE reader LOGIN PASSWORD 'r'; GRANT USAGE ON SCHEMA public TO reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"
reader=${ASSAY_STORE/assay:se%25cret/reader:r}
assay history --store "$reader" | grep -q T || echo "who may read cannot list"
assay history prune --before 2100-01-01 --store "$reader" 2>err; [ $? = 69 ] || echo "who may read only: not 69"
grep -q "permission denied for table runs; its owner grants" err || echo "not said: who may read only: $(cat err)"
ASSAY_STORE=${ASSAY_STORE/se%25cret/wrong} assay history 2>err; [ $? = 69 ] || echo "a wrong password: not 69"
grep -q "password authentication failed" err || echo "not said: the password is wrong: $(cat err)"
"$ASSAY_SOURCE/tests/postgres.sh" --stop "$ASSAY_TEST_PGDATA"
runs=$(ls -d runs/*/ | wc -l)
bench
grep -q "warning: this run is not in the history: .*is the server running" err || echo "a server that stopped: $(cat err)"
[ "$(ls -d runs/*/ | wc -l)" = $((runs + 1)) ] || echo "the run is lost"
rm -f ./*.err err
S
printf 'version: 1\nkernels: {}\n' >assay.yaml
"$tests/postgres.sh" bash on_server.sh >said 2>&1
code=$?
cat said
[ $code = 77 ] && exit $failed
[ $code = 0 ] || complain "the server: $code"
[ -s said ] && failed=1
exit $failed
