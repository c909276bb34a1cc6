#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# report_of COMMAND...: assay, and of what it prints the report at its end: without the lines that it prints while it works. (--quiet
# leaves of the report one line, too.)
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT
assay "$@" >"$out" 2>"$err"
code=$?
sed -E '/^kernel [0-9]+ of [0-9]+: /d; /^note: /d' "$err" >&2
sed -E '/^gate: .* against /d; /^policy: the candidate/d; /^rerun [0-9]+: this code was/d
    /^\[[0-9]+\/[0-9]+\] .* \.\.\. /d; /^        (repeat: |[a-z_]+: )/d
    /^heat [0-9]+: /d; /^proposal [0-9]+: /d; /^proposed sources are compiled/d
    /^gate [0-9]+, about /,/^$/d; / against itself on .*, seed [0-9]+$/,/^$/d; 1{/^$/d}' "$out"
exit $code
