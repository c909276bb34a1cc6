#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The modules that bench/h200.sh measures, built where nvcc is: h200_build.sh FOLDER. ARCH: default sm_90a. Together with a
# static build of assay they are all that the script needs on a machine without network.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?usage: h200_build.sh FOLDER}
arch=${ARCH:-sm_90a}
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[ -x "$nvcc" ] || { echo "h200_build.sh: no nvcc at $nvcc" >&2; exit 69; }
target=(-gencode "arch=compute_${arch#sm_},code=$arch")
mkdir -p "$folder"

# cuda NAME SOURCE [macro]...
cuda() {
    local name=$1 file=$2
    shift 2
    "$nvcc" -O3 -std=c++17 -shared -Xcompiler -fPIC,-fvisibility=hidden -cudart static -I "$source/include" -I "$source/kernels" \
        "${target[@]}" -Xptxas -v "$@" "$source"/kernels/*/"$file" -o "$folder/$name.so" 2>"$folder/$name.log" ||
        { cat "$folder/$name.log" >&2; exit 1; }
}

for kernel in fa_sm80 fa_sm80_mma fa_sm80_scalar fa_sm90 fa_sm90_fp8 fp8_sm89 plain gemm_sm80; do cuda $kernel $kernel.cu; done
# one module for each configuration of the Hopper kernels, whatever the problem
for kernel in fa_sm90 fa_sm90_fp8; do
    for groups in 1 2 3 4; do cuda ${kernel}_g$groups $kernel.cu -DWARPGROUPS=$groups -DSPLITS=1; done
    for splits in 2 4 8; do cuda ${kernel}_s$splits $kernel.cu -DWARPGROUPS=1 -DSPLITS=$splits; done
done
# shapes of tiles of gemm_sm80: rows, columns, warps along both, stages
for shape in 128_128_2_2_4 128_256_2_4_3 256_128_4_2_3 128_256_2_4_4 128_128_2_4_3; do
    IFS=_ read -r m n wm wn stages <<<"$shape"
    cuda gemm_sm80_$shape gemm_sm80.cu -DBLOCK_M=$m -DBLOCK_N=$n -DWARPS_M=$wm -DWARPS_N=$wn -DSTAGES=$stages
done
# equal machine code; the argument WORK_PCT says how much work is repeated
for percent in 0 1 4 6; do cuda "fa_sm80_${percent}pct" fa_sm80.cu -DWORK_TEST=1 -DWORK_PCT=$percent; done
for kernel in simd tiled; do
    gcc -std=gnu17 -O3 -fPIC -shared -fvisibility=hidden -I "$source/include" -I "$source/kernels" \
        "$source/kernels/attention/$kernel.c" -o "$folder/$kernel.so" -lm
done
"$source/tests/broken_cuda/build.sh" "$folder/broken" "${target[@]}"
du -sh "$folder"
