#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# `make bench`: our kernels and our own costs beside their peers, as ratios within one run. Figures are looked at, never
# asserted. An absolute figure of this machine means nothing elsewhere.
#   simd over the measured FMA peak (aim 70 % on s512-sized problems), over attention composed from OpenBLAS products with
#   the same exp and threads (aim 1.4 x), over tiled; `compare` of 10 problems x 100 samples (aim 20 ms); worker start
#   (aim 20 ms). ITERS (default 40) samples a problem and side.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
assay=${ASSAY:-$source/build/default/assay}
iters=${ITERS:-40}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/kernels" "$work/kernels"
cp "$source/bench/openblas_attention.c" "$work/"
{
    cat <<'Y'
version: 1
kernels:
  simd:  {operator: attention, backend: cpu, source: kernels/attention/simd.c}
  tiled: {operator: attention, backend: cpu, source: kernels/attention/tiled.c}
Y
    if printf '#include <cblas.h>\nint main(void) { return 0; }\n' |
        gcc -x c - -I/usr/include/x86_64-linux-gnu -lopenblas -o "$work/probe" 2>/dev/null; then
        cat <<Y
  openblas:
    operator: attention
    backend: cpu
    build:
      run: "gcc -std=gnu17 -O3 -fPIC -shared -fvisibility=hidden -I$source/include -Ikernels openblas_attention.c -o openblas.so -lopenblas -lm"
      output: openblas.so
      inputs: [openblas_attention.c, "kernels/**"]
Y
    fi
    # s512-sized problems where the peak is asked for, and the rest of the cpu suite
    cat <<'Y'
suites:
  heads: {problems: {s512_h8: attention/fp32/b1/h8/s512/d64, s512_d128: attention/fp32/b1/h8/s512/d128, s1024_h4: attention/fp32/b1/h4/s1024/d64}}
Y
} >"$work/assay.yaml"
cd "$work"
peers=tiled
grep -q '^  openblas:' assay.yaml && peers=openblas,tiled || echo "left out: OpenBLAS (package libopenblas-dev)"

echo "== ceilings of this machine"
"$assay" devices --ceilings
echo
echo "== simd against its peers, s512-sized (share of the FMA peak: column of the table)"
"$assay" bench --kernel simd --vs "$peers" --suite heads --iters "$iters"
echo
echo "== simd against its peers, cpu suite"
"$assay" bench --kernel simd --vs "$peers" --suite cpu --iters "$iters" --output "$work/a.json"

# Milliseconds of one run of a command: the middle of seven.
middle_ms() {
    for _ in 1 2 3 4 5 6 7; do
        local start=$EPOCHREALTIME
        "$@" >/dev/null 2>&1 || true
        local end=$EPOCHREALTIME
        echo $(((${end/./} - ${start/./})))
    done | sort -n | sed -n 4p | awk '{printf "%.1f", $1 / 1000}'
}
echo
echo "== costs of our own"
"$assay" bench --kernel simd --suite cpu --iters 100 --quiet --output "$work/b.json" >/dev/null
printf '%-44s %8s ms  (aim 20)\n' "compare, 10 problems x 100 samples" "$(middle_ms "$assay" compare b.json b.json)"
printf '%-44s %8s ms  (aim 20)\n' "worker start (asked for its devices)" "$(middle_ms "$assay" devices --json --quiet)"
