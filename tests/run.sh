#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the command-line tests: tests/cli/<area>/<name>.sh, each in an empty folder of its own, on the real program.
# Files next to a test hold its expected output and exit code:
#   <name>.exit         the exit code (0 when the file is missing)
#   <name>.stdout.exact standard output, byte for byte
#   <name>.stdout.glob  lines (bash patterns) that must appear in standard output in this order
#   <name>.stderr.glob  the same for standard error
# A test for which something is not installed prints a line "SKIPPED: why", which is shown. If it prints nothing else and exits
# with 0, it passes whatever the files expect.
# Tests that measure nothing on the real processor (the list `side_by_side`) run three at a time, since some of them wait, each slot
# with a cache of its own; after them the others run alone.
# usage: tests/run.sh [--rewrite] [--quick | --short | --long] [AREA[/NAME]...]    --rewrite writes .exit and .stdout.exact anew
# A test's first line may say "# long: why", "# slow: why" or "# campaign: why". --short leaves out the long ones, --long runs nothing
# else. --quick, for sanitizers, leaves out both, which take the paths of others with more numbers. All leave out those of a campaign,
# which take many minutes (`make campaign`). Needs ASSAY (default build/default/assay).
# Ends with "N passed, N failed"; 1 when anything failed or nothing ran.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export ASSAY_SOURCE=${here%/tests}
export ASSAY=${ASSAY:-$ASSAY_SOURCE/build/default/assay}
export NO_COLOR=1 LC_ALL=C ASSAY_STORE=none # tests of the history name their own
rewrite=0 left_out=none selected=()
for argument in "$@"; do
    case $argument in
        --rewrite) rewrite=1 ;;
        --quick | --short | --long) left_out=${argument#--} ;;
        *) selected+=("$argument") ;;
    esac
done
[ -x "$ASSAY" ] || { echo "tests/run.sh: no program at $ASSAY: build it with 'make' or set ASSAY"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Simulated devices, fake drivers and emulators have a time of their own; the other tests here mostly wait, or only check.
side_by_side=('emulator/*' 'promises/*' 'sim/*' 'policy/*' 'calibrate/*' 'usage/*' 'build/*' 'fuzz/*' 'audit/*' 'bad_input/*'
    'formats/*' 'report/*' 'bisect/*' 'history/*' 'cuda/*' 'profile/*' 'publish/*' 'notify/*' 'serve/*' install/{shipped,tree} 'tune/[!c]*'
    explain/{compare,gate_sim} metric/{gpu_counts,policy,refused,stored} compare/{golden,removed,smallest,taken}
    'gate/rerun*' gate/{accepted,all,expect_not_proved,expect_unknown,kernel_or_file,merge_base,misspelt_suite,suite_changes}
    gate/{time_limit_checks,time_limit_fixed,unknown_revision}
    gemm/{audit,cpu,cpu_simd} faults/{full_disk,hostile_words,kills,misbehaving,not_dumpable,signals,small_stack,stopped_parent}
    python/{callbacks,capture,confined,dies,fields,flash_attn_3,fuzz_plain,list_peers,missing,one_import,oracle,other_version}
    python/{resume_other,returned_checks,threads,traceback,unsupported,wrong})
slots=3
mkdir -p "$work/bin" && ln -s "$ASSAY" "$work/bin/assay"
export PATH=$work/bin:$PATH

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

# Prints a test's output in one piece, even while the other slot prints.
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
    mkdir -p "$folder"
    rm -rf "$XDG_CACHE_HOME/assay/gates" # empties the gate log: decisions of other tests must not make this one a rerun
    (cd "$folder" && mkdir here && cd here && exec bash "$script") >"$folder/stdout" 2>"$folder/stderr" </dev/null
    local code=$? wanted=0
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
        printf 'ok    %s (%d s%s)\n' "$name" $((SECONDS - started)) "$note"
        grep -h '^SKIPPED: ' "$folder/stdout" | sed 's/^/      /'
    elif [ "$try" -lt "$tries" ] && grep -qE 'machine was busy|too noisy|undecidable' "$folder/stdout" "$folder/stderr"; then
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

mkdir "$work/taken"
touch "$work/outcomes" "$work/together" "$work/alone"
while IFS= read -r script; do
    name=${script#"$here"/cli/}
    name=${name%.sh}
    if [ ${#selected[@]} -gt 0 ] && ! matches "$name" "${selected[@]}"; then continue; fi
    if ! is_wanted "$(head -1 "$script")"; then continue; fi
    if matches "$name" "${side_by_side[@]}"; then echo "$script" >>"$work/together"; else echo "$script" >>"$work/alone"; fi
done < <(find "$here/cli" -name '*.sh' ! -name '_*' | sort)
for slot in $(seq $slots); do
    run_slot "$slot" <"$work/together" &
done
wait
run_slot alone <"$work/alone"
passed=$(grep -c passed "$work/outcomes")
failed=$(grep -c failed "$work/outcomes")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
