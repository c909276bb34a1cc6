#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the command-line tests: tests/cli/<area>/<name>.sh, each in an empty folder of its own, on the real program.
# Files next to a test hold its expected output and exit code:
#   <name>.exit         the exit code (0 when the file is missing)
#   <name>.stdout.exact standard output, byte for byte
#   <name>.stdout.glob  lines (bash patterns) that must appear in standard output in this order
#                       (a parenthesis behind a star is `*\(`, else it groups)
#   <name>.stderr.glob  the same for standard error
# A test for which something is not installed prints a line "SKIPPED: why", which is shown. If it prints nothing else and exits
# with 0, it passes whatever the files expect.
# Several tests run side by side, since most of them wait half of their time, each slot with a cache of its own; those of the list `alone`,
# which need the real processor to themselves, run one by one after the others. What takes long begins first: no core idles at the end.
# usage: tests/run.sh [--rewrite] [--quick | --short | --long] [--part K/N] [AREA[/NAME]...]
# --rewrite writes .exit and .stdout.exact anew. --part takes each Nth of the tests that are wanted, from the Kth: parts 1/N to N/N are all.
# A test's first line may say "# long: why", "# slow: why" or "# campaign: why". --short leaves out the long ones, --long runs nothing
# else. --quick, for sanitizers, leaves out both, which take the paths of others with more numbers: a mark names these others. "Takes
# its branches" was measured (clang's -fprofile-instr-generate, unit tests and the tests of --quick): no branch of src/ is left to the
# marked test alone. All leave out those of a campaign, which take many minutes (`make campaign`). Needs ASSAY (default
# build/default/assay).
# Prints of each test its seconds, and those of processors. Ends with the tests that were tried again, which are a failure if they are
# many, and "N passed, N failed"; 1 when anything failed or nothing ran.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ASSAY_SOURCE=${here%/tests}
export ASSAY=${ASSAY:-$ASSAY_SOURCE/build/default/assay}
export NO_COLOR=1 LC_ALL=C ASSAY_STORE=none # tests of the history name their own
unset CC CXX                                # whose compilers kernels are built with
unset GITHUB_RUN_ATTEMPT CI_JOB_RETRY_COUNT # a job that is repeated makes no test a rerun
rewrite=0 left_out=none part=1/1 selected=()
while [ $# -gt 0 ]; do
    case $1 in
        --rewrite) rewrite=1 ;;
        --quick | --short | --long) left_out=${1#--} ;;
        --part) part=${2-} && shift ;;
        *) selected+=("$1") ;;
    esac
    shift
done
[[ $part =~ ^([0-9]+)/([1-9][0-9]*)$ ]] && ((BASH_REMATCH[1] >= 1 && BASH_REMATCH[1] <= BASH_REMATCH[2])) ||
    { echo "tests/run.sh: --part takes K/N, K from 1 to N"; exit 64; }
[ -x "$ASSAY" ] || { echo "tests/run.sh: no program at $ASSAY: build it with 'make' or set ASSAY"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Verdicts on the real clock and figures that must be valid. Whatever else runs beside them, the other tests come to the same: simulated
# devices have a time of their own, and a check needs none.
alone=(bench/{busy_notice,publishes} bisect_cpu/real_repository compare/integrated docs/{readme,tutorial} explain/gate faults/{kill_and_resume,too_many_threads}
    gate/{abi1_kernel,init,measure_same,own_build,slower_edit,stored_file,symbol_value,time_limit,unique_symbols} gemm/in_out
    lock/{killed,two_gates} python/on_gpu referee/example tune/{cpu_proposer,cpu_search})
in_turn=(install/{carried,find_package,package,pybind11,shipped,tarball,tree,wheel}) # all write one manifest into the build folder: one after the other, beside the rest
slots=$((2 * $(nproc) + 1))
mkdir -p "$work/bin" "$work/shared" && ln -s "$ASSAY" "$work/bin/assay"
for tool in report_of wait_until; do ln -s "$here/cli/_$tool.sh" "$work/bin/$tool"; done
export PATH=$work/bin:$PATH SHARED_FOLDER=$work/shared # for what several tests build
export CCACHE_DIR=$work/ccache # of all slots: assay makes a module in each, the compiler sees its text once

# Checks that the glob lines of $2 appear in $1 in order. Prints the first that does not.
globs_match() {
    local pattern line
    exec 8<"$1"
    while IFS= read -r pattern || [ -n "$pattern" ]; do
        while :; do
            if ! IFS= read -r line <&8 && [ -z "$line" ]; then
                exec 8<&-
                echo "      no line matches: $pattern"
                return 1
            fi
            # shellcheck disable=SC2053
            [[ $line == $pattern ]] && break
        done
    done <"$2"
    exec 8<&-
    return 0
}

# Prints a test's output in one piece, even while another slot prints.
say() {
    (flock 9; cat) 9>"$work/say"
}

# A failed test on the real processor is repeated, at most twice and with a message, if the program itself reported that the
# machine was too busy or noisy to decide. Any other failure is final; so is every failure of a test that names a simulated
# device, which depends on no load but its script's.
run_test() {
    local try tries=3
    grep -q 'sim:' "$1" && tries=1
    for try in $(seq $tries); do
        run_once "$1" "$try" $tries >"$work/said.$slot" && break
    done
    say <"$work/said.$slot"
}

# Returns 0 if the result is final: passed, or failed without a repetition.
run_once() {
    local script=$1 try=$2 tries=$3 base=${1%.sh} name=${1#"$here"/cli/}
    name=${name%.sh}
    local folder=$work/run/$name started=$SECONDS complaint=""
    mkdir -p "$folder/locks"
    export ASSAY_LOCKS=$folder/locks # of its own: tests do not wait for each other
    rm -rf "$XDG_CACHE_HOME/assay/gates" # empties the gate log: decisions of other tests must not make this one a rerun
    local TIMEFORMAT='%1U %1S' code wanted=0 user system
    { time { (cd "$folder" && mkdir here && cd here && exec bash "$script") >"$folder/stdout" 2>"$folder/stderr" </dev/null; }; } 2>"$folder/spent"
    code=$?
    read -r user system < <(tail -n 1 "$folder/spent") # before it the shell says which signal ended the test
    local tenths=$((10#${user/./} + 10#${system/./}))
    if [ $rewrite = 1 ]; then
        if [ $code != 0 ]; then echo $code >"$base.exit"; else rm -f "$base.exit"; fi
        [ -e "$base.stdout.exact" ] && cp "$folder/stdout" "$base.stdout.exact"
    fi
    local expected=$base
    if [ $code = 0 ] && [ "$(sed 's/^SKIPPED: .*/SKIPPED/' "$folder/stdout")" = SKIPPED ]; then expected=/nothing; fi
    [ -e "$expected.exit" ] && wanted=$(<"$expected.exit")
    [ "$code" = "$wanted" ] || complaint+="      exit code $code, wanted $wanted"$'\n'
    if [ -e "$expected.stdout.exact" ] && ! cmp -s "$folder/stdout" "$expected.stdout.exact"; then
        complaint+=$(diff -u "$expected.stdout.exact" "$folder/stdout" | head -20)$'\n'
    fi
    local stream
    for stream in stdout stderr; do
        if [ -e "$expected.$stream.glob" ]; then
            complaint+=$(globs_match "$folder/$stream" "$expected.$stream.glob" | sed "s/^/      $stream:/")
        fi
    done
    if [ -z "${complaint//[[:space:]]/}" ]; then
        echo passed >>"$work/outcomes"
        local note=""
        [ "$try" = 1 ] || note=", try $try: the machine was busy before"
        printf 'ok    %s (%d s, %d.%d s of processors%s)\n' "$name" $((SECONDS - started)) $((tenths / 10)) $((tenths % 10)) "$note"
        grep -h '^SKIPPED: ' "$folder/stdout" | sed 's/^/      /'
    elif [ "$try" -lt "$tries" ] && grep -qE 'machine was busy|too noisy|undecidable|no valid pair' "$folder/stdout" "$folder/stderr"; then
        echo "$name" >>"$work/again"
        rm -rf "$folder"
        sleep $((try * 5))
        return 1
    else
        echo failed >>"$work/outcomes"
        printf 'FAIL  %s\n%s\n' "$name" "$complaint"
        sed 's/^/      out| /' "$folder/stdout" | tail -25
        sed 's/^/      err| /' "$folder/stderr" | tail -25
    fi
    rm -rf "$folder"
    return 0
}

# Runs the wanted tests from the list on standard input that no other slot has claimed.
run_slot() { # $1: the slot
    local slot=$1 script name
    export XDG_CACHE_HOME=$work/cache.$slot
    while IFS= read -r script; do
        name=${script#"$here"/cli/}
        mkdir "$work/taken/${name//\//.}" 2>/dev/null && run_test "$script"
    done
}

# Whether $1, a test's name, matches one of the patterns that follow; an area matches all of its tests.
matches() {
    local name=$1 pattern
    shift
    for pattern in "$@"; do
        # shellcheck disable=SC2053
        [[ $name == $pattern || $name == "$pattern"/* ]] && return 0
    done
    return 1
}

# Whether a test with the first line $1 runs.
is_wanted() {
    case $left_out in
    quick) [[ ! $1 =~ ^'# '(slow($|[ :])|long: |campaign: ) ]] ;;
    short) [[ ! $1 =~ ^'# '(long|campaign)': ' ]] ;;
    long) [[ $1 == '# long: '* ]] ;;
    esac
}

mkdir "$work/taken" "$work/first"
wanted_so_far=0
touch "$work/outcomes" "$work/again" "$work"/{,first/}{together,in_turn,alone}
while IFS= read -r script; do
    name=${script#"$here"/cli/}
    name=${name%.sh}
    if [ ${#selected[@]} -gt 0 ] && ! matches "$name" "${selected[@]}"; then continue; fi
    IFS= read -r first_line <"$script"
    if ! is_wanted "$first_line"; then continue; fi
    if ((wanted_so_far++ % ${part#*/} != ${part%/*} - 1)); then continue; fi
    list=together
    if matches "$name" "${alone[@]}"; then list=alone; fi
    if matches "$name" "${in_turn[@]}"; then list=in_turn; fi
    if [[ $first_line =~ ^'# '(long|slow|campaign) ]]; then list=first/$list; fi
    echo "$script" >>"$work/$list"
done < <(find "$here/cli" -name '*.sh' ! -name '_*' | sort)
for slot in $(seq $slots); do
    cat "$work"/{first/,}together | run_slot "$slot" &
done
cat "$work"/{first/,}in_turn | run_slot in_turn &
wait
cat "$work"/{first/,}alone | run_slot alone
passed=$(grep -c passed "$work/outcomes")
failed=$(grep -c failed "$work/outcomes")
# A machine is busy now and then. Tests that need many tries say that less can be decided than before.
again=$(sort -u "$work/again" | wc -l)
[ "$again" = 0 ] || echo "tried again: $again of $((passed + failed)), $(sort -u "$work/again" | paste -sd' ')"
if ((again > 2 && again * 50 > passed + failed)); then
    echo "FAIL  more than 2 % were tried again: less is decided than should be, or this machine is too busy to test on"
    failed=$((failed + 1))
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
