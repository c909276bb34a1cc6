# slow with sanitizers
# The server over PostgreSQL: the tests of this folder, on a server of their own; then a database that stops under it.
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
need_server
if assay history --store 'postgresql:///x?host=/nonexistent' 2>&1 | grep -q "built without"; then
    echo "SKIPPED: this assay was built without PostgreSQL"
    exit 0
fi
cat >on_server.sh <<'S'
[ -e "$(dirname "$(readlink -f "$ASSAY")")/tests/fakes/libfake_cupti.so" ] && profiles=profiles
sql() { psql -q "$ASSAY_TEST_POSTGRES" -c "$1" 2>psql.err || cat psql.err; }
export HISTORY_ADDRESS=$ASSAY_TEST_POSTGRES HISTORY_OTHER=${ASSAY_TEST_POSTGRES/\/postgres\?//other?}
for test in api changes hostile live upload tunings ${profiles:-}; do
    sql 'CREATE DATABASE other'
    (mkdir "$test" && cd "$test" && bash "$ASSAY_SOURCE/tests/cli/serve/$test.sh") || echo "on the server: $test.sh failed"
    sql 'DROP DATABASE other'
    sql 'DROP SCHEMA public CASCADE; CREATE SCHEMA public'
done
. "$ASSAY_SOURCE/tests/cli/serve/_server.sh"
make_store
start_server
expect 200 "$url/api/v1/runs"
"$ASSAY_SOURCE/tests/postgres.sh" --stop "$ASSAY_TEST_PGDATA"
expect 503 "$url/api/v1/runs"
expect 503 "$url/api/v1/problems"
grep -q se%25cret answer refused && complain "a password is said"
expect 200 "$url/"
stop_server
exit $failed
S
"$ASSAY_SOURCE/tests/postgres.sh" bash on_server.sh >said 2>&1
code=$?
[ $code = 77 ] && { cat said; exit $failed; }
[ $code = 0 ] || complain "the server: $code"
[ ! -s said ] || complain "$(cat said)"
exit $failed
