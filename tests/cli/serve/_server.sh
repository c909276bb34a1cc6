# Shared by the tests of this folder: a store with runs, and a server over it, in a file or in PostgreSQL (postgres.sh). Needs a build
# with a server.
. "$ASSAY_SOURCE/tests/cli/history/_store.sh"
other_store=${HISTORY_OTHER:-other.db}
need_server() {
    local tool
    assay serve token list --store probe.db >/dev/null 2>&1 && assay serve token add probe --store probe.db >/dev/null 2>&1 ||
        { echo "SKIPPED: this assay was built without a server"; exit 0; }
    for tool in curl python3; do command -v $tool >/dev/null || { echo "SKIPPED: no $tool"; exit 0; }; done
}
make_store() {
    printf 'version: 1\nkernels: {}\n' >assay.yaml
    assay bench --device sim:steady --kernel sim --quiet >/dev/null 2>&1 || complain "the bench failed"
    assay gate --device sim:steady --candidate sim --baseline sim --measure-same --quiet --output gate.json >/dev/null 2>&1 ||
        complain "the gate failed"
}
server='' url=''
start_server() { # OPTIONS...
    : >served # it is looked at before the server has begun
    assay serve --port 0 "$@" >served 2>refused &
    server=$!
    trap 'kill $server 2>/dev/null' EXIT
    wait_until sh -c "grep -q 'http://' served || ! kill -0 $server" # it may be refused
    url=$(grep -om1 'http://[^ ]*' served) && return
    complain "the server does not start: $(cat refused)"
    exit 1
}
stop_server() {
    kill "$server"
    wait "$server"
    local code=$?
    [ $code = 0 ] || complain "stopped by SIGTERM: $code, not 0: $(cat refused)"
}
status() { curl -s -o answer -w '%{http_code}' --path-as-is "$@"; }
expect() { # STATUS CURL-ARGUMENTS...
    local wanted=$1 got
    shift
    got=$(status "$@")
    [ "$got" = "$wanted" ] || complain "$got, not $wanted: $* $(head -c 300 answer)"
}
