#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# All that bench/h200.sh needs on a machine without network and without this repository: h200_build.sh FOLDER [PART...]; without
# parts all. FOLDER/bench/h200.sh runs there. With this repository's tracked files, which travel too, less than 64 MiB: what can be carried.
# Modules that few steps need are packed into FOLDER/modules/seldom.tar.xz; h200.sh unpacks them.
#
#   part     what
#   program  a static build, installed below FOLDER: the program, libassay_worker.so with the libraries that it needs, the Python files of
#            the bridge and of the peers; and the scripts, kernels and headers that the steps read. BUILD: a build folder to take instead
#   cpu      modules for processors
#   gpu      modules by nvcc, for ARCH (default sm_90a)
set -euo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?usage: h200_build.sh FOLDER [program|cpu|gpu]...}
shift
[ $# -gt 0 ] || set -- program cpu gpu
arch=${ARCH:-sm_90a}
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
carried_mib=64
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
modules=$folder/modules
mkdir -p "$modules"

# ---- program ----

part_program() {
    local build=${BUILD:-$source/build/static}
    if [ -z "${BUILD:-}" ]; then
        (cd "$source" && cmake --preset static >/dev/null && cmake --build --preset static)
    fi
    DESTDIR='' cmake --install "$build" --prefix "$folder" --strip >/dev/null
    rm -rf "${folder:?}/share/man" "$folder/share/doc" "$folder/share/assay/docs"
    mkdir -p "$folder/bin/tests" "$folder/tests/broken_cuda"
    local program
    for program in device_check ceiling_check; do
        [ ! -x "$build/tests/$program" ] || cp "$build/tests/$program" "$folder/bin/tests/"
    done
    mkdir -p "$folder/examples"
    cp -r "$source/bench" "$source/kernels" "$folder"
    cp -r "$source/examples/operators" "$source/examples/tools" "$folder/examples"
    cp "$source"/tests/broken_cuda/{run.sh,gate.py,expected.txt,trust.txt} "$folder/tests/broken_cuda/"
    cp -r "$source/tests/trust_parts" "$source/tests/exploits" "$folder/tests/"
}

# ---- modules ----

target=(-gencode "arch=compute_${arch#sm_},code=$arch")

# cuda NAME SOURCE [macro]...
cuda() {
    local name=$1 file=$2
    shift 2
    "$nvcc" -O3 -std=c++17 -shared -Xcompiler -fPIC,-fvisibility=hidden -cudart static -I "$source/include" -I "$source/kernels" \
        "${target[@]}" -Xptxas -v "$@" "$source"/kernels/*/"$file" -o "$modules/$name.so" 2>"$modules/$name.log" ||
        { cat "$modules/$name.log" >&2; exit 1; }
}

part_gpu() {
    [ -x "$nvcc" ] || { echo "h200_build.sh: no nvcc at $nvcc" >&2; exit 69; }
    local kernel groups splits shape m n wm wn stages percent
    for kernel in fa_sm80 fa_sm80_mma fa_sm80_scalar fa_sm90 fa_sm90_fp8 fp8_sm89 plain gemm_sm80; do cuda $kernel $kernel.cu; done
    # one module for each configuration of the Hopper kernels, whatever the problem
    for kernel in fa_sm90 fa_sm90_fp8; do
        for groups in 1 2 3 4; do cuda ${kernel}_g$groups $kernel.cu -DWARPGROUPS=$groups -DSPLITS=1; done
        for splits in 2 4 8; do cuda ${kernel}_s$splits $kernel.cu -DWARPGROUPS=1 -DSPLITS=$splits; done
        cuda ${kernel}_t2 $kernel.cu -DWARPGROUPS=2 -DSPLITS=2
    done
    # shapes of tiles of gemm_sm80: rows, columns, warps along both, stages
    for shape in 128_128_2_2_4 128_256_2_4_3 256_128_4_2_3 128_256_2_4_4 128_128_2_4_3; do
        IFS=_ read -r m n wm wn stages <<<"$shape"
        cuda gemm_sm80_$shape gemm_sm80.cu -DBLOCK_M=$m -DBLOCK_N=$n -DWARPS_M=$wm -DWARPS_N=$wn -DSTAGES=$stages
    done
    # equal machine code; the argument WORK_PCT says how much work is repeated
    for percent in 0 1 4 6; do cuda "fa_sm80_${percent}pct" fa_sm80.cu -DWORK_TEST=1 -DWORK_PCT=$percent; done
    "$source/tests/broken_cuda/build.sh" "$modules/broken" "${target[@]}"
}

part_cpu() {
    local kernel
    for kernel in simd tiled; do
        gcc -std=gnu17 -O3 -fPIC -shared -fvisibility=hidden -I "$source/include" -I "$source/kernels" \
            "$source/kernels/attention/$kernel.c" -o "$modules/$kernel.so" -lm
    done
}

# ---- what is carried ----

# The modules that lie loose and that few steps need.
seldom() {
    (cd "$modules" && find . \( -name 'fa_sm90*_[gst][0-9].so' -o -name 'fa_sm80_*.so' -o -name 'gemm_sm80_*.so' -o -name fp8_sm89.so \
        -o -path './broken/*.so' \) -printf '%P\n' | sort)
}

# Forms of a kernel differ in a few bytes: 65 MiB become 2. What an earlier call packed and this one did not make anew stays.
pack_seldom() {
    local archive=$modules/seldom.tar.xz
    [ -n "$(seldom)" ] || return 0
    [ ! -f "$archive" ] || tar -xJf "$archive" -C "$modules" --skip-old-files
    seldom >"$modules/seldom.txt"
    XZ_OPT=-T0 tar -cJf "$archive.new" -C "$modules" -T "$modules/seldom.txt"
    mv "$archive.new" "$archive"
    (cd "$modules" && xargs rm -f -- <seldom.txt && rm -f seldom.txt .unpacked)
}

# mib_of: the size of the files that standard input names, each ended by a NUL.
mib_of() { du -cm --apparent-size --files0-from=- | tail -1 | cut -f 1; }

for part in "$@"; do
    case $part in
        program | cpu | gpu) "part_$part" ;;
        *) echo "h200_build.sh: no part '$part'; parts: program cpu gpu" >&2; exit 64 ;;
    esac
done
pack_seldom
used_mib=$(du -sm "$folder" | cut -f 1)
tree_mib=$(cd "$source" && { git ls-files -z 2>/dev/null || true; } | mib_of)
echo "$folder: $used_mib MiB, and $tree_mib MiB of tracked files"
[ $((used_mib + tree_mib)) -lt $carried_mib ] || { echo "h200_build.sh: more than the $carried_mib MiB that can be carried" >&2; exit 73; }
