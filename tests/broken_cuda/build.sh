#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Compiles every broken CUDA kernel of this folder: build.sh FOLDER [nvcc options]. Default target: PTX of
# sm_80, which every later device accepts. Exit code 77 without nvcc (NVCC, CUDA_HOME, /usr/local/cuda).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: build.sh FOLDER [nvcc options]}
shift
[ $# -gt 0 ] || set -- -gencode arch=compute_80,code=compute_80
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")}
[ -x "$nvcc" ] || { echo "SKIPPED: no nvcc at $nvcc"; exit 77; }
mkdir -p "$folder"
failed=0
for source in "$here"/*.cu; do
    options=(-O3 -std=c++17 -shared -Xcompiler "-fPIC,-fvisibility=hidden,-Wall" -cudart static)
    "$nvcc" "${options[@]}" -I "$here/../../include" "$@" "$source" -o "$folder/$(basename "$source" .cu).so" ||
        { echo "does not compile: $source"; failed=1; }
done
exit $failed
