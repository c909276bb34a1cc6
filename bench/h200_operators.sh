#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The operators of examples/operators on a GPU: h200_operators.sh FOLDER. A step of h200.sh, which sets ASSAY, OUT and a Python
# with PyTorch; FOLDER is made anew. OPERATORS and PARTS ("fuzz bench gate big") do less, so that a call of ten minutes can be continued.
# For each outcome a line of OUT/operators.txt: operator, part, expected exit code, the one that came, seconds. What assay says is
# OUT/operators_NAME.log, a result OUT/operators_NAME.json.
#
#   part   at the same time  what, for each operator
#   fuzz   8                 its kernels in CUDA and Triton pass; those with a bug fail
#   bench  1                 both beside the reference in PyTorch, as it is and compiled: 75 to 120 s each, and more if PyTorch is cold
#   gate   1                 the kernel in CUDA against itself, and one that takes 6 % longer against the same without
#   big    1                 once: a product of experts with 10.7 GB of weights is right, and no slower than itself
set -uo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${1:?usage: h200_operators.sh FOLDER}
export assay=${ASSAY:-assay} out=${OUT:-$PWD} device=${DEVICE:-cuda:0}
read -ra operators <<<"${OPERATORS:-rmsnorm quantize softmax topk rope gemm_gelu moe paged_decode}"
read -ra parts <<<"${PARTS:-fuzz bench gate}"
rm -rf "$folder" && mkdir -p "$folder" && cp -r "$source/examples/operators/." "$folder" && cd "$folder" || exit 73

# try OPERATOR PART EXPECTED SECONDS ARGUMENT...
try() {
    local name=$1_$2 start=$SECONDS code
    timeout -k 5 "$4" "$assay" "${@:5}" --device "$device" --output "$out/operators_$name.json" >"$out/operators_$name.log" 2>&1
    code=$?
    printf '%-13s %-12s %s %s %4d s%s\n' "$1" "$2" "$3" "$code" $((SECONDS - start)) "$([ "$code" = "$3" ] || echo '  WRONG')" |
        tee -a "$out/operators.txt"
    [ "$code" = "$3" ]
}
export -f try

part_fuzz() {
    local operator kernel
    for operator in "${operators[@]}"; do
        for kernel in cuda cuda_bug triton triton_bug; do echo "$operator $kernel"; done
    done | xargs -P 8 -L 1 bash -c 'expected=0
        [[ $1 != *_bug ]] || expected=1
        try $0 $1 $expected 240 fuzz --kernel $0_$1 --suite $0_boundary'
}

# The manifest of one operator, as two functions of Python.
write_manifest() {
    printf 'version: 1\noperators: {%s: ops/%s.py}\nkernels:\n' "$1" "$1"
    awk -v name="$1" '/^  [a-z]/ { is_of = index($1, name "_cuda") == 1 || index($1, name "_triton") == 1 } is_of' assay.yaml
}

part_bench() {
    local operator worst=0
    for operator in "${operators[@]}"; do
        write_manifest "$operator" >"ops_$operator.yaml"
        try "$operator" bench 0 240 bench --manifest "ops_$operator.yaml" --kernel "${operator}_cuda" \
            --vs "${operator}_triton,reference,reference:compiled" --iters 30 --warmup 5 --isolation process || worst=1
    done
    return $worst
}

# Kernels that read the clocks at their begin and end, which itself takes time: one then waits for 6 % longer.
write_slower() {
    local pct
    cat assay.yaml
    for pct in 0 6; do
        printf '  %s_waits_%s: {operator: %s, source: %s.cu, call: *%s_cuda, flags: [-DSLOWER=%s]}\n' "$1" $pct "$1" "$1" "$1" $pct
    done
}

part_gate() {
    local operator worst=0
    for operator in "${operators[@]}"; do
        write_slower "$operator" >"slower_$operator.yaml"
        try "$operator" gate_same 0 90 gate --baseline "${operator}_cuda" --candidate "${operator}_cuda" --measure-same \
            --suite "$operator" --no-check --first-look 3 --iters 10 || worst=1
        try "$operator" gate_slower 1 90 gate --manifest "slower_$operator.yaml" --baseline "${operator}_waits_0" \
            --candidate "${operator}_waits_6" --suite "$operator" --no-check --first-look 3 --iters 10 || worst=1
    done
    return $worst
}

part_big() {
    local problem=moe/experts64/hidden5120/width8192
    { write_manifest moe && echo "suites: {big: {problems: {big: $problem}}}"; } >big.yaml
    try moe big_fuzz 0 150 fuzz --manifest big.yaml --kernel moe_cuda --suite big || return
    try moe big_gate 0 240 gate --manifest big.yaml --baseline moe_cuda --candidate moe_cuda --measure-same --suite big --no-check \
        --first-look 3 --iters 10
}

failed=0
for part in "${parts[@]}"; do "part_$part" || failed=1; done
exit $failed
