#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `assay serve` under load, from this machine, in three parts of about SECONDS each. wrk, 32 connections on two routes; READERS and WRITERS
# that ask without a pause (serve_clients.py), where the store has RESULTS, a multiple of 10 000, or one small run; and 300 connections
# that drip. Fails on any answer but 200 and 201, on a connection that breaks, on an upload that is lost, where 95 % of the first pages take
# longer than 1 s or another client is shut out for more than 2 s, and on a server that does not stop with 0. The figures of docs/serve.md:
# bench/serve_load.sh 60 1000000 50 50, on idle cores. usage: ASSAY=... bench/serve_load.sh [SECONDS] [RESULTS] [READERS] [WRITERS]
set -uo pipefail
seconds=${1:-30} results=${2:-0} readers=${3:-4} writers=${4:-4}
here=$(cd "$(dirname "$0")" && pwd)
ASSAY=${ASSAY:-${here%/bench}/build/default/assay}
command -v python3 >/dev/null || { echo "SKIPPED: no python3"; exit 0; }
work=$(mktemp -d) server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
if [ "$results" -gt 0 ]; then
    cmake --build "$(dirname "$ASSAY")" --target store_speed >/dev/null && speed=$(dirname "$ASSAY")/store_speed || exit 70
fi
cd "$work" || exit 70
unset ASSAY_STORE
if ! token=$("$ASSAY" serve token add probe --store history.db 2>said); then
    grep -q 'built without' said && { echo "SKIPPED: this assay was built without a server"; exit 0; }
    cat said
    exit 1
fi
if [ "$results" -gt 0 ]; then "$speed" history.db $((results / 10000)) || exit 1; fi
printf 'version: 1\nkernels: {}\n' >assay.yaml
ASSAY_STORE=history.db "$ASSAY" bench --device sim:steady --kernel sim --quiet --output run.json >/dev/null 2>&1 || exit 1
"$ASSAY" serve --port 0 --store history.db >served 2>refused &
server=$!
for _ in $(seq 100); do url=$(grep -om1 'http://[^ ]*' served 2>/dev/null) && break; sleep 0.05; done
failed=0
if command -v wrk >/dev/null; then
    for path in /api/v1/problems /; do
        wrk -t 2 -c 32 -d "$(((seconds + 1) / 2))s" --latency --timeout 30s "$url$path" >wrk.log || failed=1
        echo "$path"
        grep -E '50%|99%|Requests/sec|requests in|Socket errors|Non-2xx' wrk.log
        grep -qE 'Socket errors|Non-2xx' wrk.log && failed=1
    done
else
    echo "SKIPPED: no wrk; install it with scripts/deps.sh test"
fi
timeout $((seconds + 600)) "$here/serve_clients.py" load "$url" "$seconds" "$readers" "$writers" "$token" run.json || failed=1
[ ! -s refused ] || { head -5 refused; failed=1; } # what the drips do is said
timeout $((seconds + 60)) "$here/serve_clients.py" drip "$url" $((seconds + 2)) 300 || failed=1
grep VmHWM "/proc/$server/status"
kill "$server"
wait "$server" || failed=1
server=
exit $failed
