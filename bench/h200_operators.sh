#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The operators of examples/operators on a GPU: h200_operators.sh FOLDER. A step of h200.sh, which sets ASSAY, OUT and a Python
# with PyTorch; FOLDER is made anew. OPERATORS and PARTS ("fuzz bench gate big gemm") do less, so that a call of ten minutes can be continued.
# For each outcome a line of OUT/operators.txt: operator, part, expected exit code, the one that came, seconds. What assay says is
# OUT/operators_NAME.log, a result OUT/operators_NAME.json.
#
#   part   at the same time  what, for each operator
#   fuzz   8                 its kernels in CUDA and Triton pass; those with a bug fail
#   bench  1                 both beside the reference in PyTorch, as it is and compiled: 75 to 120 s each, and more if PyTorch is cold
#   gate   1                 the kernel in CUDA against itself, and one that takes 6 % longer against the same without
#   big    1                 once: a product of experts with 10.7 GB of weights is right, and no slower than itself
#   gemm   1                 once: gemm_sm80 as the compiled operator and as a declared one: medians of processes by turns, and gates
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

# The same kernel in two operators: gemm, which is compiled in, and a product that a manifest declares.
write_products() {
    cp -r "$source/kernels" . && sed 's/^    "gemm",/    "product",/' kernels/gemm/gemm_sm80.cu >kernels/gemm/declared_sm80.cu
    ! cmp -s kernels/gemm/{gemm,declared}_sm80.cu || return
    cat >product.c <<'C'
#include <math.h>
void product(const double *a, const double *b, const double *bias, double *c, int m, int n, int k, double activation) {
    for (int i = 0; i < m; ++i, a += k, c += n)
        for (int j = 0; j < n; ++j) {
            double sum = bias[j];
            for (int t = 0; t < k; ++t) sum += a[t] * b[(long)t * n + j];
            c[j] = activation == 2 ? sum * erfc(-sum / sqrt(2)) / 2 : sum;
        }
}
C
    cat >products.yaml <<'Y'
version: 1
operators:
  product:
    axes: {m: 1024, n: 1024, k: 1024}
    inputs: {a: "bf16[m, k]", b: "bf16[k, n]", bias: "bf16[n]", activation: 2}
    outputs: {c: "bf16[m, n]"}
    reference: product.c
    reference_call: "product(a, b, bias, c, int m, int n, int k, double activation)"
suites:
  compiled: {problems: {a: gemm/bf16/m1024/n1024/k1024/bias/gelu, b: gemm/bf16/m512/n2048/k512/bias/gelu}}
  declared: {problems: {a: product/m1024/n1024/k1024, b: product/m512/n2048/k512}}
kernels:
  compiled: {operator: gemm, backend: cuda, source: kernels/gemm/gemm_sm80.cu, flags: [-Ikernels]}
  declared: {operator: product, backend: cuda, source: kernels/gemm/declared_sm80.cu, flags: [-Ikernels]}
Y
}

part_gemm() {
    local worst=0 turn form
    write_products || return
    for turn in 1 2 3; do
        for form in compiled declared; do
            try "$form" "bench_$turn" 0 120 bench --manifest products.yaml --kernel "$form" --suite "$form" --rounds 5 --iters 30 \
                --isolation process || worst=1
            try "$form" "gate_$turn" 0 120 gate --manifest products.yaml --baseline "$form" --candidate "$form" --measure-same \
                --suite "$form" --no-check --first-look 3 --iters 10 || worst=1
        done
    done
    python3 - "$out" <<'P' | tee -a "$out/operators.txt" || worst=1
import json, statistics, sys

def medians(form):
    """Of each problem the medians of all processes, in ns a launch."""
    found = {}
    for turn in (1, 2, 3):
        with open(f"{sys.argv[1]}/operators_{form}_bench_{turn}.json", encoding="utf-8") as file:
            result = json.load(file)
        for case in result["cases"]:
            for one in case["rounds"]:
                for samples in one["samples"] if one["is_valid"] else []:
                    launches, left_out = samples["launches"], samples.get("discard", {})
                    of = [ns / (launches[i] if isinstance(launches, list) else launches)
                          for i, ns in enumerate(samples["duration_ns"]) if str(i) not in left_out]
                    found.setdefault(case["short_name"], []).append(statistics.median(of))
    return found

compiled, declared = medians("compiled"), medians("declared")
for name in compiled:
    print("%-13s declared over compiled %.4f (%d and %d processes)" % (
        name, statistics.median(declared[name]) / statistics.median(compiled[name]), len(declared[name]), len(compiled[name])))
P
    return $worst
}

failed=0
for part in "${parts[@]}"; do "part_$part" || failed=1; done
exit $failed
