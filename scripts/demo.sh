#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make demo: the shipped `simd` kernel against `tiled`. Checks both on the boundary matrix, times ten problems in rounds of fresh
# processes, and ends with one screen. The whole report is a file; progress is drawn where standard error is a terminal.
# A round takes ten samples of each side: these two differ by far more than that many can confuse.
# usage: scripts/demo.sh BUILD_FOLDER
set -u
assay=$1/assay
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$assay" gate --suite cpu --check boundary --candidate simd --baseline tiled --expect improvement --iters 10 --warmup 5 >"$log"
code=$?
if [ $code -gt 3 ]; then # no verdict, but an error
    cat "$log"
    exit $code
fi
"$assay" report last --format summary
tail -n 1 "$log" # where the report is
printf '\nhistory\n'
"$assay" history list --limit 3
cat <<NEXT

what next
  $assay report last                              the whole report
  $assay fuzz --kernel simd --suite boundary      the checks, one by one
  $assay bench --kernel simd --vs tiled --only s512
  make install; cd your/repository; assay init        a kernel of your own (docs/tutorial.md)
NEXT
exit $code
