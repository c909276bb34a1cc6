#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# assay's kernels against their peers, as ratios within one run: simd to the measured FMA peak (aim 70 % on s512-sized
# problems), to attention composed from OpenBLAS products with the same exp and threads (aim 1.4 x), and to tiled.
# ITERS (default 40): samples a problem and side.
# shellcheck source=bench/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
iters=${ITERS:-40}
cp -r "$source/kernels" "$work/kernels"
cp "$source/bench/"{openblas_attention.c,row_softmax.h} "$work/"
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
      run: "gcc -std=gnu17 -O3 -fPIC -shared -fvisibility=hidden -I$source/include -Ikernels openblas_attention.c
        -o openblas.so -lopenblas -lm"
      output: openblas.so
      inputs: [openblas_attention.c, row_softmax.h, "kernels/**"]
Y
    fi
    # s512-sized problems for the ratio to the peak, and the rest of the cpu suite
    cat <<'Y'
suites:
  heads: {problems: {s512_h8: attention/fp32/b1/h8/s512/d64, s512_d128: attention/fp32/b1/h8/s512/d128,
    s1024_h4: attention/fp32/b1/h4/s1024/d64}}
Y
} >"$work/assay.yaml"
cd "$work"
peers=tiled
if grep -q '^  openblas:' assay.yaml; then peers=openblas,tiled; else echo "left out: OpenBLAS (package libopenblas-dev)"; fi

echo "== ceilings of this machine"
"$assay" devices --ceilings
echo
echo "== simd against its peers, s512-sized (share of the FMA peak: column of the table)"
"$assay" bench --kernel simd --vs "$peers" --suite heads --iters "$iters"
echo
echo "== simd against its peers, cpu suite"
"$assay" bench --kernel simd --vs "$peers" --suite cpu --iters "$iters"
