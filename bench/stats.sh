#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The statistics alone, in microseconds (bench/stats_bench.c), and in comparison with SciPy and NumPy doing the same work on the
# same samples (bench/scipy_bench.py; needs Debian's python3-scipy, else left out). PROBLEMS, SAMPLES: the size of that work,
# default 300 x 100.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
problems=${PROBLEMS:-300} samples=${SAMPLES:-100}
build=$(dirname "$assay")
stats_bench=$build/stats_bench
if [ ! -x "$stats_bench" ]; then cmake --build "$build" --target stats_bench >/dev/null; fi

echo "== statistics"
"$stats_bench"
echo
echo "== one work, two programs: $problems problems x $samples samples a side;" \
    "intervals of both medians, Cliff's delta, Mann-Whitney"
"$stats_bench" --work "$problems" "$samples" >"$work/ours"
ours_ms=$(awk '$1 == "work_ms" {print $2}' "$work/ours")
# Debian's interpreter has Debian's packages; another python3 may come first in PATH.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import scipy, numpy' 2>/dev/null; then break; fi
    python=
done
cost_line "assay (exact intervals)" "$(printf '%.2f' "$ours_ms")" ms
if [ -z "$python" ]; then
    echo "left out: SciPy and NumPy (package python3-scipy)"
    exit 0
fi
"$python" "$source/bench/scipy_bench.py" "$problems" "$samples" "$work/ours" "$ours_ms"
