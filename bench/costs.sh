#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The cost of assay's own commands, in milliseconds: the start of a worker, and `compare` of 10 and 300
# problems x 100 samples and of 27 x 10 000 (made files: bench/made_results.py).
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$work"
echo "== costs of our own"
for size in "10 100" "300 100" "27 10000"; do
    read -r problems samples <<<"$size"
    python3 "$source/bench/made_results.py" "$problems" "$samples" 1 "a$problems.json"
    python3 "$source/bench/made_results.py" "$problems" "$samples" 2 "b$problems.json"
done
cost_line "worker start (asked for its devices)" "$(middle_ms "$assay" devices --json --quiet)" ms "20 ms"
cost_line "compare, 10 problems x 100 samples" "$(middle_ms "$assay" compare a10.json b10.json)" ms "20 ms"
cost_line "compare, 300 problems x 100 samples" "$(middle_ms "$assay" compare a300.json b300.json)" ms "100 ms"
cost_line "compare, 27 problems x 10 000 samples" "$(middle_ms "$assay" compare a27.json b27.json)" ms "2000 ms"
cost_line "report --samples, 27 problems x 10 000 samples" "$(middle_ms "$assay" report a27.json --samples)" ms
# All statistics of a gate and its report once more, from the result. The gate is a simulated one: of real kernels it takes
# minutes, and the share is far smaller.
start=$EPOCHREALTIME
XDG_CACHE_HOME=$work/cache "$assay" gate --candidate sim --baseline sim --device sim:promise --suite sim27 --measure-same \
    --no-check --quiet --output-dir "$work/runs" >/dev/null 2>&1 || true
end=$EPOCHREALTIME
gate_ms=$(((${end/./} - ${start/./}) / 1000))
again_ms=$(middle_ms "$assay" report "$(echo "$work"/runs/*/result.json)")
cost_line "gate, 27 simulated problems" "$gate_ms" ms
cost_line "its statistics and report alone, with reading the result" "$again_ms" ms
cost_line "their share of the gate" "$(awk -v part="$again_ms" -v all="$gate_ms" 'BEGIN {printf "%.2f", 100 * part / all}')" % "1 %"
