#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The kernels of examples/tools on a GPU, one a tool: h200_tools.sh FOLDER. A step of h200.sh, which sets ASSAY, OUT and a Python with
# PyTorch; FOLDER is made anew. It prints a line for each tool: its version, what fuzz says, the median of its default problem; or why
# there is none. Lines without a failure are kept in STATE, so that a call that was cut short can be continued. DEVICE=cpu tries the
# script where there is no GPU. What assay says is OUT/tools_TOOL.log.
set -uo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?usage: h200_tools.sh FOLDER}
assay=${ASSAY:-assay} out=$(realpath "${OUT:-.}") device=${DEVICE:-cuda:0}
python=${PYTHON:-${VIRTUAL_ENV:+$VIRTUAL_ENV/bin/}python3}
rm -rf "$folder" && mkdir -p "$folder" && cp -r "$source/examples/tools/." "$folder" && cd "$folder" || exit 73
printf 'version: 1\npython_interpreter: %s\noperators: {rmsnorm: ops/rmsnorm.py}\n' "$(command -v "$python")" >assay.yaml
problems=rmsnorm/rows1/hidden1,rmsnorm/rows17/hidden1000,rmsnorm
failed=0

# version_of MODULE: of the installed package; or nothing, if it cannot be imported.
version_of() { "$python" -c "import $1; print(getattr($1, '__version__', 'no version'))" 2>"$out/import_error"; }

# try TOOL MODULE KERNEL DEVICE: the line's text.
try() {
    local log=$out/tools_$1.log version code figure device=$4
    version=$(version_of "$2") || { echo "not here: $(tail -1 "$out/import_error")"; return 0; }
    [ "$3" != none ] || { echo "$version; no example: docs/kernel-tools.md shows the call"; return 0; }
    timeout -k 5 60 "$assay" fuzz --kernel "$3" --problem "$problems" --no-shrink --device "$device" >"$log" 2>&1
    code=$?
    [ $code = 0 ] || { echo "$version; fuzz ended with $code: $(grep -m1 -E 'error|failed|assay:' "$log")"; return 1; }
    echo "$version; fuzz $(grep -oE '^[0-9]+/[0-9]+' "$log")"
    figure=$(bench_of "$3" "$log")
    echo "; $figure"
    [[ $figure != "bench ended"* ]]
}

# The line "Measured", and what the report says of the kernel itself, with what its autotuner chose.
bench_of() {
    timeout -k 5 60 "$assay" bench --kernel "$1" --problem rmsnorm --iters 30 --warmup 5 --rounds 2 --device "$device" >"$2" 2>&1
    local code=$?
    grep -m1 -oE 'median [0-9.]+ [a-z]+' "$2" || echo "bench ended with $code"
    sed -n "s/^$1  */; /p" "$2" | head -1
}

kept=${STATE:-$folder}/tools.txt
touch "$kept"
while read -r tool module kernel where; do
    if line=$(grep "^$tool " "$kept"); then
        echo "$line"
        continue
    fi
    text=$(try "$tool" "$module" "$kernel" "${where:-$device}")
    code=$?
    printf -v line '%-14s %s' "$tool" "$(tr '\n' ' ' <<<"$text")"
    echo "$line"
    if [ $code = 0 ]; then echo "$line" >>"$kept"; else failed=1; fi
done <<'E'
triton triton norm_triton:rmsnorm
torch.compile torch norm_compile:rmsnorm
torch.library torch norm_library:rmsnorm
custom_op torch norm_library:made
numba numba norm_numba:rmsnorm cpu
numba-cuda numba.cuda norm_numba_cuda:rmsnorm
cupy cupy norm_cupy:rmsnorm
cutedsl cutlass none
tilelang tilelang none
E
exit $failed
