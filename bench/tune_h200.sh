#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Tunings on a GPU that is lent for minutes: elite, dispatch table and log of the attention kernels over suite ci, what `fa` gains by them,
# and the closed loop once. tune_h200.sh [PART...]; without arguments all parts that are not done, in this order:
#
#   part         seconds  limit  what
#   build             60    240  modules of all variants, NPROC at a time (46: 28 of fa_sm80, 9 of fa_sm90, 9 of fa_sm90_fp8; 10 to 25 s each)
#   loop             150    300  fa_s512 (fa_sm80 with 64 rows and 4 warps) on s512: profile, one hypothesis with its prediction, check, 20
#                                rounds, profile again (LOOP_TRY, LOOP_PREDICT)
#   fa_sm90          200    480  every form on every problem: 8 forms x 10 problems, one heat of 3 rounds and a final of 10, 20 s a round
#   fa               120    300  both forms: 2 x 10 problems, the same rounds; builds 2 modules
#   gate_best        100    240  `fa` with its tables against the best single variant of fa_sm90 that takes all problems
#   gate_sm90         80    180  ... against fa_sm90
#   gate_sm80         80    180  ... against fa_sm80
#   fa_sm80          500    540  26 variants, evolutionary, steered by the profile: up to 4 heats (75 s each), then a final of up to 8 x 10
#                                problems (20 s a round); what is left of a call goes to heats, the next call goes on
#   fa_sm90_fp8      300    480  as fa_sm90, in fp8
#
# The seconds are predicted from gates of ten problems on an H200 (34 s with two kernels and five rounds; docs/measurements.md).
# A call lasts at most CALL_S seconds (540): a part that does not fit is interrupted or not begun, and the next call goes on with it.
# For that OUT/state.tar.gz, written after every part, comes back as STATE_TAR of the next call; a machine that is still the same needs
# none. It holds runs, history and keep/, which is what is to be kept: logs, tables, JSON, texts of gates. Modules are not in it: a fresh
# machine builds them again. Needs nvcc and Ninja, no network. AGAIN=1 repeats the parts that are named.
#   ASSAY  a static build (build/static/assay)       OUT  the folder that comes back (build/tune_h200)
#   STATE  where all of it lies (/tmp/assay-tune)    ROUNDS, FINAL_ROUNDS  of heats (3), and of the final that decide (5)
#   CLOCKS base or MHz, to lock clocks where that is allowed (default: as they are)
#   DEVICE, SUITE, TREE (the folder of assay.yaml), BEST_ENTRY, FORMS_FROM, FA_FROM (settings of baselines): for a trial without a GPU (tests/cli/tune/bench_script.sh)
# Tables are written into this tree, kernels/attention/NAME_table.h and fa_dispatch.h, as parts that follow include them.
set -uo pipefail
export LC_ALL=C
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tree=$(realpath "${TREE:-$source}")
assay=$(realpath "${ASSAY:-$source/build/static/assay}")
out=$(realpath -m "${OUT:-$source/build/tune_h200}")
state=$(realpath -m "${STATE:-/tmp/assay-tune}")
keep=$state/keep manifest=$tree/assay.yaml attention=$tree/kernels/attention
device=${DEVICE:-cuda:0} suite=${SUITE:-ci} rounds=${ROUNDS:-3} final_rounds=${FINAL_ROUNDS:-5}
call_s=${CALL_S:-540}
least_s=45   # a part is not begun with less
final_s=200  # of the final of fa_sm80: its heats end before
cores=$(nproc)
best_entry=${BEST_ENTRY:-operator: attention, backend: cuda, source: kernels/attention/fa_sm90.cu, arch: sm_90a, config: @}
forms_from=${FORMS_FROM-WARPGROUPS: 3, SPLITS: 1} fa_from=${FA_FROM-FORM: 1}
loop_try=${LOOP_TRY:-BLOCK_M=128,NUM_WARPS=8}
loop_predict=${LOOP_PREDICT:-1.05x to 1.15x: K and V are read half as often, tensor pipe share up}
parts=(build loop fa_sm90 fa gate_best gate_sm90 gate_sm80 fa_sm80 fa_sm90_fp8)
declare -A limits=([build]=240 [loop]=300 [fa_sm90]=480 [fa]=300 [gate_best]=240 [gate_sm90]=180 [gate_sm80]=180 [fa_sm80]=540
    [fa_sm90_fp8]=480)
declare -A tables=([fa_sm90]=fa_sm90_table.h [fa_sm90_fp8]=fa_sm90_fp8_table.h [fa]=fa_dispatch.h)

for part in "$@"; do
    [ -n "${limits[$part]:-}" ] || { echo "tune_h200.sh: no part '$part'; there are ${parts[*]}" >&2; exit 64; }
done
[ -x "$assay" ] || { echo "tune_h200.sh: no program at $assay (ASSAY)" >&2; exit 69; }
if [ -n "${STATE_TAR:-}" ] && [ ! -d "$state" ]; then
    mkdir -p "$state"
    tar -xzf "$STATE_TAR" -C "$state" || { echo "tune_h200.sh: cannot unpack $STATE_TAR" >&2; rm -rf "$state"; exit 66; }
fi
mkdir -p "$out" "$keep" "$state/done" "$state/runs" "$state/cache" || exit 73
export XDG_CACHE_HOME=$state/cache ASSAY_STORE=$state/history.db NO_COLOR=1
cd "$tree" || exit 66

deadline=0 # of the part that runs, in this shell's SECONDS
in_time() { # COMMAND...: 124 when the part's time is over; assay keeps what it has on SIGINT
    local left=$((deadline - SECONDS))
    [ $left -ge 1 ] || return 124
    timeout --foreground --signal=INT --kill-after=15 $left "$@"
}

# All targets: what the tunings build one heat after the other, so that no minute is lost between heats.
targets() {
    local rows keys warps stages kernel form
    for kernel in fa_sm90 fa_sm90_fp8 fa_sm80 fa_s512; do echo $kernel; done
    for kernel in fa_sm90 fa_sm90_fp8; do for form in 1,1 1,2 1,4 1,8 2,1 2,2 3,1 4,1; do
        echo "$kernel --config SPLITS=${form#*,},WARPGROUPS=${form%,*}"
    done; done
    for rows in 64 128; do for keys in 32 64 128; do for warps in 4 8; do for stages in 1 2 3; do
        [ $rows -lt $((16 * warps)) ] || echo "fa_sm80 --config BLOCK_M=$rows,BLOCK_N=$keys,NUM_WARPS=$warps,STAGES=$stages"
    done; done; done; done
}

part_build() {
    [ -e "$state/cache/built" ] && return 0
    # shellcheck disable=SC2016
    targets | timeout --kill-after=15 $((deadline - SECONDS)) xargs -P "$cores" -I TARGET sh -c \
        'line="TARGET"; "$0" build --manifest "$1" --arch sm_90a --quiet --kernel $line >/dev/null 2>&1 && echo "built $line" || echo "failed $line"' \
        "$assay" "$manifest" >"$keep/build.txt"
    local code=$?
    [ $code -eq 0 ] || return $code
    ! grep '^failed ' "$keep/build.txt" || return 1
    touch "$state/cache/built"
}

# The stage that a killed tuning was in, its final or else its last heat, cannot go on where another machine began it: it is measured again.
# By name: what a resumed tuning reads again changes the times of all its folders.
drop_stage() { # $1: folder of the tuning's runs; fails where the last line of the output names another reason
    local tuning last
    tail -n 1 "$keep/$part.txt" | grep -qE 'this run was begun (on another machine|with [0-9]+ threads)' || return 1
    tuning=$(printf '%s\n' "$1"/*/tune.json | tail -n 1)
    tuning=${tuning%/tune.json} last=final
    [ -d "$tuning/final" ] || last=$(cd "$tuning" && printf '%s\n' heat-* | tail -n 1)
    echo "measured again: $last"
    rm -rf "${tuning:?}/$last"
}

tune() { # $1: kernel, $2...: options
    local root=$state/runs/$part code=0 resume=()
    [ -z "$(ls "$root"/*/tune.json 2>/dev/null)" ] || resume=(--resume last)
    local command=("$assay" tune --manifest "$manifest" --device "$device" --suite "$suite" --kernel "$1" "${@:2}" ${CLOCKS:+--lock-clocks "$CLOCKS"}
        --output-dir "$root" --output "$keep/$part.json")
    in_time "${command[@]}" "${resume[@]}" >>"$keep/$part.txt" 2>&1 || code=$?
    if is_unfinished $code && [ $code -lt 124 ] && [ ${#resume[@]} -gt 0 ] && drop_stage "$root"; then
        code=0
        in_time "${command[@]}" --resume last >>"$keep/$part.txt" 2>&1 || code=$?
    fi
    tail -n 3 "$keep/$part.txt"
    is_unfinished $code || "$assay" report last --format log --output-dir "$root" --output "$keep/$part.md"
    return $code
}

profile() { # $1: name of the file, $2...: options
    [ -s "$keep/$1.json" ] && return
    in_time "$assay" profile --manifest "$manifest" --kernel fa_s512 --suite "$suite" --only s512 --device "$device" --json "${@:2}" \
        >"$keep/$1.part" 2>"$keep/$1.txt" || { echo "no profile:"; tail -n 2 "$keep/$1.txt"; return; }
    mv "$keep/$1.part" "$keep/$1.json"
}

part_loop() {
    local code=0
    profile before
    tune fa_s512 --only s512 --try "$loop_try" --predict "$loop_predict" || code=$?
    is_unfinished $code || profile after --config "$loop_try"
    return $code
}

# The table that a kernel includes is written from the kernel without one, and with a form that is nowhere the fastest as the baseline: a
# table names no settings where the baseline stays, and the kernel as it is chooses by its own model there.
exhaustive() { # $1: kernel, $2: settings of the baseline, $3...: options
    local as_it_was=$manifest code=0
    rm -f "$attention/${tables[$1]}"
    manifest=$tree/tune_from.yaml
    sed "s|^  $1: *{|&${2:+config: {$2\}, }|" "$as_it_was" >"$manifest"
    tune "$1" --strategy exhaustive --rounds "$rounds" --final-rounds "$final_rounds" "${@:3}" --emit "$keep/${tables[$1]}" || code=$?
    rm -f "$manifest"
    manifest=$as_it_was
    return $code
}
part_fa_sm90() { exhaustive fa_sm90 "$forms_from"; }
part_fa_sm90_fp8() { exhaustive fa_sm90_fp8 "$forms_from" --dtype fp8_e4m3; }
part_fa() { exhaustive fa "$fa_from"; }

part_fa_sm80() {
    local hints=() heats=$((deadline - SECONDS - final_s))
    [ -s "$keep/before.json" ] && hints=(--profile "$keep/before.json")
    tune fa_sm80 --rounds "$rounds" --final-rounds "$final_rounds" --budget "$((heats > 5 ? heats : 5))s" "${hints[@]}" --emit "$keep/fa_sm80_table.h"
}

# What tables give: `fa` beside one kernel. The geometric mean is in the text.
gate() { # $1: baseline, $2: manifest
    local code=0
    in_time "$assay" gate --manifest "${2:-$manifest}" --candidate fa --baseline "$1" --suite "$suite" --device "$device" --seed 22 \
        ${CLOCKS:+--lock-clocks "$CLOCKS"} --output-dir "$state/runs/$part" --output "$keep/$part.json" >"$keep/$part.txt" 2>&1 || code=$?
    grep -E 'geometric mean|\(exit' "$keep/$part.txt" || tail -n 3 "$keep/$part.txt"
    return $code
}
part_gate_sm90() { gate fa_sm90; }
part_gate_sm80() { gate fa_sm80; }

# The fastest variant of the race that answered every problem, as a kernel of its own.
part_gate_best() {
    local config code=0 best=$tree/tune_best.yaml
    config=$(python3 - "$keep/fa_sm90.json" <<'P'
import json, sys
variants = [v for v in json.load(open(sys.argv[1]))["variants"] if v.get("speedup") and not v.get("unsupported_count")]
print(max(variants, key=lambda v: v["speedup"])["config"].replace("=", ": ").replace(",", ", ") if variants else "")
P
    ) || config=
    [ -n "$config" ] || { echo "no variant of fa_sm90 was timed: run the part fa_sm90"; return 69; }
    echo "the best single variant: $config"
    sed "s|^kernels:.*|&\n  fa_best: {${best_entry/@/{$config\}}}|" "$manifest" >"$best"
    gate fa_best "$best" || code=$?
    rm -f "$best"
    return $code
}

is_unfinished() { # exit codes of a part that is to be begun or continued by the next call
    case $1 in 0 | 1 | 2 | 3) return 1 ;; *) return 0 ;; esac
}

restore_tables() {
    local name
    for name in "${!tables[@]}"; do
        [ ! -e "$state/done/$name" ] || [ ! -s "$keep/${tables[$name]}" ] || cp "$keep/${tables[$name]}" "$attention/${tables[$name]}"
    done
}

save() {
    tar -czf "$out/state.tar.gz.new" -C "$state" --exclude=references --exclude=./cache . && mv "$out/state.tar.gz.new" "$out/state.tar.gz"
}

forget() { # $1: the part that is repeated
    rm -rf "$state/done/$1" "$state/runs/$1" "$keep/$1".* "$keep/${tables[$1]:-$1_table.h}"
    case $1 in
    build) rm -f "$state/cache/built" ;;
    loop) rm -f "$keep"/before.* "$keep"/after.* ;;
    esac
}

run_part() {
    part=$1
    local code=0 start=$SECONDS left=$((call_s - SECONDS))
    [ "$part" = build ] || [ ! -e "$state/done/$part" ] || { echo "$part: done before, exit $(cat "$state/done/$part")"; return; }
    [ $left -ge $least_s ] || { echo "$part: left for the next call"; return; }
    deadline=$((SECONDS + (left < ${limits[$part]} ? left : ${limits[$part]})))
    restore_tables
    "part_$part" || code=$?
    if is_unfinished $code; then
        echo "$part: not finished, exit $code, $((SECONDS - start)) s" | tee -a "$keep/parts.txt"
    else
        echo $code >"$state/done/$part"
        echo "$part: exit $code, $((SECONDS - start)) s" | tee -a "$keep/parts.txt"
    fi
    save
}

[ "${AGAIN:-0}" = 0 ] || for part in "$@"; do forget "$part"; done
for part in "${@:-${parts[@]}}"; do run_part "$part"; done
restore_tables
