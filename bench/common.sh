# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# Shared by the parts of `make bench`; sourced by bench/*.sh. Sets source, assay and work (a folder, deleted at exit).
set -euo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
assay=${ASSAY:-$source/build/default/assay}
[ -x "$assay" ] || { echo "$0: no program at $assay: build it with 'make' or set ASSAY" >&2; exit 69; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Milliseconds of one run of a command, whatever its exit code: the median of seven runs.
middle_ms() {
    for _ in 1 2 3 4 5 6 7; do
        local start=$EPOCHREALTIME
        "$@" >/dev/null 2>&1 || true
        local end=$EPOCHREALTIME
        echo $((${end/./} - ${start/./}))
    done | sort -n | sed -n 4p | awk '{printf "%.1f", $1 / 1000}'
}

# Prints a line of the table of costs: name, value, unit, aim.
cost_line() { printf '%-58s %10s %-3s %s\n' "$1" "$2" "$3" "${4:+(aim $4)}"; }
