#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A stranger's first hour, again: what made a newcomer leave once, run in fresh folders with nothing but an installed program (`make
# install` into a prefix that is removed at the end). Each row says what was better, whether it is so, and how long it takes; "before"
# is what the first hour measured on a loaded machine of two cores. Prints the rows of a table in Markdown (docs/measurements.md).
# usage: bench/first_hour.sh [BUILD_FOLDER]    1 if a row is not as it should be
set -u
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "${1:-$source/build/default}" && pwd) || exit 66
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { tail -5 "$work/install.log"; exit 73; }
cp "$build/install_manifest.txt" "$work/installed.txt" # a package that is made meanwhile writes it anew
export PATH=$work/prefix/bin:$PATH XDG_CACHE_HOME=$work/cache ASSAY_STORE=none NO_COLOR=1 LC_ALL=C
unset COLUMNS
wrong=0

# A repository of its own with what `assay init` writes, committed.
repository() { # $1: its folder
    mkdir -p "$work/$1" && cd "$work/$1" || exit 73
    git init -q -b main . && git config user.email t@example.org && git config user.name newcomer
    assay init >/dev/null && git add -A && git commit -qm first
}

# change FILE SCRIPT: edits the file by sed; an edit that finds nothing to change would let a row pass that tried nothing.
change() {
    cp "$1" "$work/before" && sed -i "$2" "$1"
    cmp -s "$work/before" "$1" || return 0
    echo "nothing to change in $1: $2"
    return 1
}
edit() { change kernels/mine.c 's/score \*= (float)a->scale;/score = (float)a->scale * (score + 0.0f);/'; }
ends_with() { # $1: exit code; the rest: a command, whose words go to the file `said`
    local wanted=$1 code
    shift
    "$@" >said 2>&1
    code=$?
    [ $code = "$wanted" ] || { echo "exit $code, wanted $wanted: $*"; tail -3 said; return 1; }
}
says() { grep -qE -- "$1" said || { echo "no line '$1'"; tail -3 said; return 1; }; }
fits() { awk -v w="$1" 'length($0) > w && $0 !~ /^ *[^ ]+$/ && $0 !~ /^ *(repeat: )?assay / && $0 !~ /^(report|results): /' said >wide; [ ! -s wide ] || head -2 wide; }

row() { # $1: what was met then, $2: seconds then, $3: what is better, $4: a function that does it
    local started=$EPOCHREALTIME state=yes
    (repository "$4" && "$4") >"$work/said" 2>&1 || { state='**no**' wrong=1; }
    printf '| %s | %s | %s | %s | %.1f |\n' "$1" "$2" "$3" "$state" "$(echo "$EPOCHREALTIME - $started" | bc)"
    [ "$state" = yes ] || sed 's/^/    /' "$work/said" >&2
}

busy_bench() {
    local pids=() code
    for _ in $(seq "$(nproc)"); do
        (while :; do :; done) &
        pids+=($!)
    done
    assay bench --kernel mine --suite pr --only s128 >said 2>&1
    code=$?
    kill "${pids[@]}"
    [ $code = 0 ] || [ $code = 3 ] || { echo "exit $code"; return 1; }
    says 'median' && says 'busy before anything was measured|does not count|others took|priority'
}
first_fuzz() { ends_with 0 assay fuzz --kernel mine --suite boundary --quiet && says '^[0-9]+/[0-9]+ mine$'; }
first_gate() { edit && ends_with 0 assay gate --quiet && says 'maintained'; }
same_code() { change kernels/mine.c '1s/^/\/\/ a comment\n/' && ends_with 0 assay gate --quiet && says 'machine code'; }
unsupported() { ends_with 3 assay fuzz --kernel mine --problem attention/fp16/b48/h16/s640/d64 && says "UNSUPPORTED"; }
says_nothing() {
    change assay.yaml 's|^suites:|&\n  half: {problems: {large: attention/fp16/b48/h16/s640/d64}}|' && edit || return 1
    ends_with 3 assay gate --check half --policy candidate --quiet && says 'supports none'
}
sees_groups() {
    change kernels/mine.c 's|h / group|h % a->heads_kv|g' && ends_with 1 assay gate && says 'hkv' || return 1
    ends_with 1 assay fuzz --kernel mine --suite boundary --failures-only && says 'smallest problem .*/hkv'
}
misspelt_suite() { ends_with 64 assay gate --check boundry && says "did you mean 'boundary'"; }
very_negative() { change kernels/mine.c 's/max = -INFINITY, sum/max = -1e4f, sum/' && ends_with 1 assay fuzz --kernel mine --suite boundary --failures-only && says very_negative; }
own_tolerance() {
    change assay.yaml 's|^    source: kernels/mine.c|    tolerance: {atol: 2e-3, two_x: off}\n&|' || return 1
    ends_with 78 assay list kernels && says 'why' || return 1
    change assay.yaml 's|two_x: off}|two_x: off, why: "V in fp16"}|' || return 1
    ends_with 0 assay fuzz --kernel mine --suite quick && says 'V in fp16'
}
shipped_peers() {
    ends_with 0 assay bench --kernel mine --vs assay:simd,naive --suite quick --iters 20 && says 'over assay:simd' || return 1
    ends_with 0 assay list kernels && says '^assay:fa_sm90 ' && says '^naive '
}
subfolder() {
    mkdir -p src && cd src && ends_with 0 assay fuzz --kernel mine --suite quick --quiet || return 1
    cd .. && [ -d runs ] && [ ! -e src/runs ] && [ -z "$(git status --porcelain --ignored=no | grep -v src)" ]
}
shallow() {
    edit && git commit -qam second && git clone -q --depth 1 "file://$PWD" ../shallow.$$ && cd ../shallow.$$ && git checkout -q --detach && git branch -qD main
    git remote remove origin
    ends_with 64 assay gate --baseline git:merge-base && says 'fetch-depth: 0'
}
workflow() { rm assay.yaml && ends_with 0 assay init --github && ls .github/workflows/*.yml; }
widths() {
    ends_with 1 assay gate --device sim:promise --candidate sim_slower5 --suite sim --quiet || return 1
    for columns in 60 80 200; do
        export COLUMNS=$columns
        for command in "report last" "list peers" "list kernels" "gate --help" "devices"; do
            # shellcheck disable=SC2086
            assay $command >said 2>&1 || echo "exit $?: assay $command"
            fits $columns
        done
    done >too_wide
    [ ! -s too_wide ] || { cat too_wide; return 1; }
}
short_options() { ends_with 0 assay fuzz -h && says '^usage: assay fuzz' && ends_with 0 assay -V && ends_with 0 assay --version --json && says '"version"'; }
closed_pipe() { assay list problems --suite fuzz 2>said | head -1 >/dev/null; [ "${PIPESTATUS[0]}" = 0 ] && [ ! -s said ]; }
manual() { man -l "$work/prefix/share/man/man1/assay-gate.1" >said 2>&1 || groff -man -Tascii "$work/prefix/share/man/man1/assay-gate.1" >said 2>&1; says 'SYNOPSIS'; }
completion() { bash -c '. "$1"; COMP_LINE="assay gate --cache " COMP_POINT=19; _assay; printf "%s\n" "${COMPREPLY[@]}"' - "$work/prefix/share/bash-completion/completions/assay" >said; says '^rotate$'; }
live_line() {
    script -qec "stty cols 100; assay fuzz --kernel assay:simd --problem attention/fp32/b16/h16/s1024/d64" said.raw >/dev/null </dev/null
    tr '\r' '\n' <said.raw >said
    says '\[[#.]+\] check 1/1 .* left'
}
hang() {
    change kernels/mine.c 's|^static void attend.*{|&\n    for (volatile int on = 1; on;) continue;|' || return 1
    change assay.yaml 's/case_s: 60/case_s: 2 /' || return 1
    ends_with 1 assay fuzz --kernel mine --problem attention/fp32/b1/h1/s8/d8 && says 'TIMEOUT'
}
other_files() {
    printf '{"results": [{"command": "sleep", "mean": 1.0, "times": [1.0, 1.01, 1.02, 0.99, 1.0, 1.01, 1.0, 0.99, 1.0, 1.01]}]}' >hyperfine.json
    assay compare hyperfine.json hyperfine.json >said 2>&1
    says 'hyperfine' && says 'sleep' || return 1
    printf '{"what": 1}' >unknown.json
    ends_with 65 assay compare unknown.json unknown.json
}
no_manifest() { rm assay.yaml && ends_with 64 assay gate --baseline git:HEAD && says "assay init"; }
times_apart() { assay bench --kernel mine --suite quick --iters 20 >said 2>&1; says 'device (seconds|minutes) of .* elapsed'; }
sentences() { assay compare "$source/tests/fuzz/corpus/format/nvbench_summaries.json" "$source/tests/fuzz/corpus/format/nvbench_summaries.json" >said 2>&1; [ "$(grep -c 'summaries only' said)" -ge 1 ] && [ "$(sort said | uniq -c | awk '$1 > 3 && length($0) > 60' | wc -l)" = 0 ]; }

echo '| met | before, s | better | so | now, s |'
echo '| --- | --- | --- | --- | --- |'
row 'a busy machine: no number at all' 174 'medians, marked, and what is busy' busy_bench
row 'init, then `fuzz`: 27 times UNSUPPORTED' 154 'passes as it is' first_fuzz
row 'init, an edit, `gate`: exit 3' 551 'exit 0' first_gate
row 'a comment is edited' 0.3 'same machine code, at once' same_code
row 'an unsupported problem costs its float64 reference' 29 'nothing' unsupported
row 'a matrix that says nothing, then everything is measured' 551 'ends there' says_nothing
row 'groups of heads mixed up: the default matrix passes' - 'found, shrunk to the group' sees_groups
row 'a misspelt `--check` is 0 with equal code' - '64, with the nearest name' misspelt_suite
row 'a maximum that starts at -1e4 passes' - 'caught by `very_negative`' very_negative
row 'no tolerance of its own' - 'taken with a reason, refused without' own_tolerance
row 'shipped kernels cannot be named' - '`assay:simd` is a peer; `list kernels` shows all' shipped_peers
row '`runs/` in the current folder' - 'beside the manifest, ignored by git' subfolder
row 'a shallow clone: no way out said' - 'the sentence says `fetch-depth: 0`' shallow
row 'no workflow for CI' - '`assay init --github` writes one' workflow
row 'tables of 170 columns at 60' - '60, 80, 200 columns fit' widths
row '`-h`, `-V`, `--version --json` refused' - 'taken' short_options
row 'a closed pipe is an error' - 'silent' closed_pipe
row 'no manual page' - 'renders' manual
row 'no completion' - 'offers values' completion
row 'no progress' - 'a live line with the time left, within a problem' live_line
row 'a kernel that hangs waits 60 s' 81 '`limits.case_s`' hang
row 'hyperfine is not read' - 'read; an unknown file is refused' other_files
row 'no manifest: the cause comes second' - '`assay init` is named' no_manifest
row 'device minutes for elapsed time' - 'both, told apart' times_apart
row '88 equal sentences' - 'said once' sentences
cmake -DMANIFEST="$work/installed.txt" -DPREFIX="$work/prefix" -P "$source/cmake/uninstall.cmake" >"$work/uninstall.log" 2>&1
left=$(find "$work/prefix" -mindepth 1 | wc -l)
[ "$left" = 0 ] || wrong=1
echo "| no uninstall | - | leaves nothing | $([ "$left" = 0 ] && echo yes || echo "**no**: $left files") | |"
exit $wrong
