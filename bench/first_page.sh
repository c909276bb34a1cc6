#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# How long the dashboard's first page takes, on a store of RUNS runs of PROBLEMS problems on SIDES sides: what it asks of the server one after
# the other by curl (page, scripts, style, filters, changes), right after the server's start and in the median of 20 visits, and beside it
# the list of problems. With PAGE_S fails where a visit after the first takes longer. The figures of docs/serve.md: on two idle cores.
# usage: [ASSAY=...] [PAGE_S=0.3] bench/first_page.sh [RUNS] [PROBLEMS] [SIDES]
set -euo pipefail
runs=${1:-100} problems=${2:-1000} sides=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
ASSAY=${ASSAY:-${here%/bench}/build/default/assay}
build=$(dirname "$ASSAY")
cmake --build "$build" --target store_speed >/dev/null
work=$(mktemp -d) server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
unset ASSAY_STORE
"$build/store_speed" history.db "$runs" "$problems" "$sides"
echo "load: $(cut -d' ' -f1-3 /proc/loadavg); store: $(du -sm history.db | cut -f1) MB"
"$ASSAY" serve --port 0 --store history.db >served 2>refused &
server=$!
for _ in $(seq 200); do url=$(grep -om1 'http://[^ ]*' served) && break; sleep 0.02; done
visit() { # seconds for all of it, over one connection
    local paths=(/ /assets/report.css /assets/dashboard.css /assets/{dashboard,dom,page_changes,api,figures,filtered_list}.js
        /api/v1/facets '/api/v1/changes?limit=50')
    local arguments=() path
    for path in "${paths[@]}"; do arguments+=(-o /dev/null "$url$path"); done
    curl -sS -f -w '%{time_total}\n' "${arguments[@]}" | awk '{ sum += $1 } END { printf "%.3f\n", sum }'
}
one() { curl -sS -f -o answer -w '%{time_total} s, %{size_download} bytes' "$url$1"; }
echo "first page, right after the start: $(visit) s"
for _ in $(seq 20); do visit; done | sort -n >visits
echo "first page: $(sed -n 10p visits) s, at most $(tail -1 visits) s"
for path in '/api/v1/changes?limit=50' '/api/v1/problems?limit=100' '/api/v1/problems?changed=1&limit=100' \
    '/api/v1/problems?sort=trend&order=descending&limit=100'; do
    echo "$path: $(one "$path")"
done
grep VmHWM "/proc/$server/status"
awk -v most="${PAGE_S:-0}" 'END { exit most > 0 && $1 > most }' visits
