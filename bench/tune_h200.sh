#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tunings on a GPU: elite, dispatch table and log of fa_sm80, fa_sm90 and fa over suite ci, and the closed loop once
# on fa_sm80 at s512: profile, one hypothesis with its prediction, check, rounds, profile again. tune_h200.sh FOLDER; the folder gets what is to
# be kept. ASSAY: the program. It needs nvcc on the machine, since variants are built between heats; without a ccache that was filled before
# (tune_h200.sh --fill, on a machine with nvcc and no GPU) a build of fa_sm90 takes a minute. BUDGET: seconds of a tuning's heats (900).
# PARTS: which of loop, fa_sm80, fa_sm90, fa_sm90_fp8 and fa (default: all). fa_sm90 and fa_sm90_fp8 measure every form on every problem and
# leave kernels/attention/NAME_table.h in this tree, fa leaves fa_dispatch.h.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
assay=${ASSAY:-$source/build/default/assay}
cd "$source"

# Fills the cache of builds for these targets, so that a machine lent by the minute builds nothing.
fill() {
    local rows keys warps stages kernel groups splits form
    for rows in 64 128; do for keys in 32 64 128; do for warps in 4 8; do for stages in 1 2 3; do
        "$assay" build --kernel fa_sm80 --arch sm_90a --quiet --config "BLOCK_M=$rows,BLOCK_N=$keys,NUM_WARPS=$warps,STAGES=$stages" || true
    done; done; done; done
    for kernel in fa_sm90 fa_sm90_fp8; do for groups in 0 1 2 3 4; do for splits in 0 1 2 4 8; do
        [ $groups -gt 1 ] && [ $splits -gt 1 ] || "$assay" build --kernel $kernel --arch sm_90a --quiet --config "WARPGROUPS=$groups,SPLITS=$splits" || true
    done; done; done
    for form in 0 1 2; do "$assay" build --kernel fa --arch sm_90a --quiet --config "FORM=$form" || true; done
}

if [ "${1:-}" = --fill ]; then
    fill
    exit
fi
folder=$(mkdir -p "${1:?usage: tune_h200.sh FOLDER | --fill}" && cd "$1" && pwd)
runs=(--device cuda:0 --output-dir "$folder/runs" --lock-clocks "${CLOCKS:-base}")
profile() { "$assay" profile --kernel fa_sm80 --suite ci --only s512 --device cuda:0 --json "${@:2}" >"$folder/$1.json" || echo "no profile: $?"; }

loop() {
    profile before
    code=0
    "$assay" tune --kernel fa_sm80 --suite ci --only s512 "${runs[@]}" --try BLOCK_M=64,NUM_WARPS=4,STAGES=1 \
        --predict "1.05x to 1.2x: twice the thread blocks hide each other's softmax, tensor pipe share up" --output "$folder/loop.json" || code=$?
    "$assay" report last --format log --output-dir "$folder/runs" --output "$folder/example-tune-log.md"
    profile after --config BLOCK_M=64,NUM_WARPS=4,STAGES=1
    echo "loop: exit $code"
}

tune() { # $1: kernel
    local code=0 hints=()
    [ -s "$folder/before.json" ] && [ "$1" = fa_sm80 ] && hints=(--profile "$folder/before.json")
    "$assay" tune --kernel "$1" --suite ci "${runs[@]}" --budget "${BUDGET:-900}s" "${hints[@]}" --emit "$folder/$1_table.h" \
        --output "$folder/$1.json" || code=$?
    "$assay" report last --format log --output-dir "$folder/runs" --output "$folder/$1.md"
    echo "$1: exit $code"
}

# The table of measured problems that a kernel includes: tuned without the one that is there, so that it stands for the model alone.
table() { # $1: kernel, $2...: problems
    local code=0 path=kernels/attention/$1_table.h
    rm -f "$path"
    "$assay" tune --kernel "$1" --suite ci "${@:2}" "${runs[@]}" --strategy exhaustive --emit "$path" --output "$folder/$1.json" || code=$?
    "$assay" report last --format log --output-dir "$folder/runs" --output "$folder/$1.md"
    echo "$1: exit $code"
}

# Which form `fa` takes for each problem, and whether it then is any slower than the best single kernel.
choice() {
    local code=0 best
    rm -f kernels/attention/fa_dispatch.h
    "$assay" tune --kernel fa --suite ci "${runs[@]}" --strategy exhaustive --emit "$folder/fa_dispatch.h" --output "$folder/fa.json" || code=$?
    "$assay" report last --format log --output-dir "$folder/runs" --output "$folder/fa.md"
    echo "fa: exit $code"
    [ -s "$folder/fa_dispatch.h" ] || return 0
    cp "$folder/fa_dispatch.h" kernels/attention/fa_dispatch.h
    for best in fa_sm90 fa_sm80; do
        code=0
        "$assay" gate --candidate fa --baseline $best --suite ci "${runs[@]}" >"$folder/fa_against_$best.txt" || code=$?
        echo "fa against $best: exit $code"
    done
}

for part in ${PARTS:-loop fa_sm80 fa_sm90 fa_sm90_fp8 fa}; do
    case $part in
        loop) loop ;;
        fa) choice ;;
        fa_sm90) table fa_sm90 ;;
        fa_sm90_fp8) table fa_sm90_fp8 --dtype fp8_e4m3 ;;
        *) tune "$part" ;;
    esac
done
