#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that every CUDA kernel of the manifest compiles for its targets, and that only the kernels listed below spill registers.
# Needs nvcc, no GPU. Builds the targets of `assay build`: sm_80 and sm_90a unless the manifest has `arch`.
#   ASSAY: the program, default build/default/assay
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
assay=${ASSAY:-build/default/assay}
if ! command -v nvcc >/dev/null && ! command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" >/dev/null; then
    echo "SKIPPED: no nvcc"
    exit 0
fi

# Kernel, target, bytes that any one instance may spill (the larger of stores and loads). Other kernels may spill nothing.
allowed() {
    cat <<'TABLE'
plain sm_80 4
fa_sm80 sm_80 12
fa_s512 sm_80 16
fa_s512 sm_90a 20
fp8_sm89 sm_90a 104
TABLE
}
# plain: one register of the instance for D up to 512.
# fa_sm80: one register at D = 64, outside the innermost work; the price of 16 warps a multiprocessor.
# fa_s512: the four warps that its name stands for; fa_sm80's own configuration is the one to use.
# fp8_sm89: sm_90 has no m16n8k32 of e4m3, and the compiler's replacement takes registers; on sm_90 it only serves tests.

outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT

# check_kernel NAME: builds it and reads what the assembler said.
check_kernel() {
    local kernel=$1 output=$outputs/$1.said
    if ! "$assay" build --kernel "$kernel" >"$output" 2>&1; then
        cat "$output"
        return 1
    fi
    # "  sm_90a fa_sm80_kernel<__half, 64>: 128 registers, 0 bytes spilled, ..."
    allowed | awk -v kernel="$kernel" '
        NR == FNR { if ($1 == kernel) limit[$2] = $3; next }
        $1 !~ /^sm_[0-9]+[a-z]?$/ || !/ registers, [0-9]+ bytes spilled/ { next }
        {
            bytes = $0; sub(/ bytes spilled.*/, "", bytes); sub(/.* /, "", bytes)
            most[$1] = bytes + 0 > most[$1] + 0 ? bytes + 0 : most[$1] + 0
            entries++
            if (bytes + 0 <= limit[$1] + 0) next
            print kernel ":" $0 "; allowed are " limit[$1] + 0
            bad = 1
        }
        END {
            if (!entries) { print kernel ": assay build names no device function"; exit 1 }
            for (target in most) text = text "  " target ": " most[target]
            print kernel ": bytes spilled" text
            exit bad
        }' - "$output"
}

# Names of the manifest's CUDA kernels: those that take a minute first, so that neither compiles alone at the end.
cuda_kernels() {
    "$assay" list kernels --json | python3 -c '
import json, sys

kernels = [k for k in json.load(sys.stdin)["kernels"] if k["backend"] == "cuda" and k["from"].endswith(".cu")]
slow = ("fa_sm80_scalar", "gemm_sm80")
for name in sorted((k["name"] for k in kernels), key=lambda name: name not in slow):
    print(name)'
}

# Two at a time, since one nvcc keeps one core busy.
count=0
while read -r kernel; do
    count=$((count + 1))
    [ "$(jobs -rp | wc -l)" -lt 2 ] || wait -n
    check_kernel "$kernel" >"$outputs/$kernel.text" || touch "$outputs/$kernel.failed" &
done < <(cuda_kernels)
wait
cat "$outputs"/*.text 2>/dev/null
failures=$(find "$outputs" -name '*.failed' | wc -l)
if [ "$count" = 0 ]; then
    echo "check_spills: the manifest has no CUDA kernel"
    exit 1
fi
if [ "$failures" -gt 0 ]; then
    echo "check_spills: $failures of $count kernels do not compile, or spill"
    exit 1
fi
echo "check_spills: $count CUDA kernels compile and spill no more than they may"
