#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `assay serve` under load: wrk with 32 connections on two routes, SECONDS in all. Fails on any answer but 200, on a connection
# that breaks, and on a server that does not stop with 0. usage: ASSAY=... bench/serve_load.sh [SECONDS]
set -uo pipefail
seconds=${1:-30}
ASSAY=${ASSAY:-$(cd "$(dirname "$0")/.." && pwd)/build/default/assay}
command -v wrk >/dev/null || { echo "SKIPPED: no wrk; install it with scripts/deps.sh test"; exit 0; }
work=$(mktemp -d) server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 70
unset ASSAY_STORE
"$ASSAY" serve token list --store history.db >/dev/null || exit 1
if ! "$ASSAY" serve token add probe --store history.db >/dev/null 2>said; then
    grep -q 'built without' said && { echo "SKIPPED: this assay was built without a server"; exit 0; }
    cat said
    exit 1
fi
printf 'version: 1\nkernels: {}\n' >assay.yaml
ASSAY_STORE=history.db "$ASSAY" bench --device sim:steady --kernel sim --quiet >/dev/null 2>&1 || exit 1
"$ASSAY" serve --port 0 --store history.db >served 2>refused &
server=$!
for _ in $(seq 100); do url=$(grep -om1 'http://[^ ]*' served 2>/dev/null) && break; sleep 0.05; done
failed=0
for path in /api/v1/problems /; do
    wrk -t 2 -c 32 -d "$(((seconds + 1) / 2))s" --latency "$url$path" >wrk.log || failed=1
    echo "$path"
    grep -E '50%|99%|Requests/sec|requests in|Socket errors|Non-2xx' wrk.log
    grep -qE 'Socket errors|Non-2xx' wrk.log && failed=1
done
grep VmHWM "/proc/$server/status"
kill "$server"
wait "$server" || failed=1
server=
[ ! -s refused ] || { head -5 refused; failed=1; }
exit $failed
