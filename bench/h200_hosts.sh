#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What --isolation process costs on a GPU, and whether it says the same: h200_hosts.sh ASSAY MODULES OUT [DEVICE]. MODULES is
# what bench/h200_build.sh has built. COUNT: processes of each form (default 40). About 7 minutes. Exit 1 as soon as a host does
# not start, so that a wrong sandbox or driver costs no device time.
set -uo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
assay=$(realpath "${1:?usage: h200_hosts.sh ASSAY MODULES OUT [DEVICE]}") modules=$(realpath "${2:?}") out=${3:?} device=${4:-cuda:0}
mkdir -p "$out"
cd "$out" || exit 1
nvidia-smi --query-gpu=name,driver_version,compute_mode,persistence_mode --format=csv,noheader
cat >assay.yaml <<Y
version: 1
kernels:
  sm90: {operator: attention, backend: cuda, library: $modules/fa_sm90.so}
  sm80: {operator: attention, backend: cuda, library: $modules/fa_sm80.so}
Y
# A kernel in a process of its own: sandbox, cuInit, JIT, import of memory, check.
if ! "$assay" fuzz --isolation process --device "$device" --kernel sm90 >first.txt 2>&1; then
    cat first.txt
    echo "h200_hosts.sh: a kernel of a GPU does not run in a process of its own here"
    exit 1
fi
"$source/bench/isolation_cost.py" --assay "$assay" --count "${COUNT:-40}" --limit 420 --log cost.jsonl -- \
    --device "$device" --kernel sm90 --suite ci --iters 10
# Gates: the same verdicts, and how long they take.
for form in none process; do
    start=$EPOCHREALTIME
    "$assay" gate --isolation $form --device "$device" --candidate sm90 --baseline sm80 --suite ci >"gate_$form.txt" 2>&1
    echo "gate $form: exit $?, $(awk "BEGIN{print $EPOCHREALTIME - $start}") s"
    grep -E 'us .*x  |discarded|did not count' "gate_$form.txt"
done
ISOLATION=process ASSAY=$assay DEVICE=$device "$source/tests/broken_cuda/run.sh" "$modules/broken"
nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader # nothing of ours is left
