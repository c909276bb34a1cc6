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
cost_line "compare, 300 problems x 100 samples" "$(middle_ms "$assay" compare a300.json b300.json)" ms "300 ms"
cost_line "compare, 27 problems x 10 000 samples" "$(middle_ms "$assay" compare a27.json b27.json)" ms "2000 ms"
cost_line "report --samples, 27 problems x 10 000 samples" "$(middle_ms "$assay" report a27.json --samples)" ms
