# SPDX-License-Identifier: Apache-2.0
#
# Sourced by scripts that add up tests. Each step's output goes to the terminal and to a log; its last line of the form
# 'N passed, N failed' is added to the totals. A step without such a line counts as one test, by its exit code. Lines
# 'SKIPPED: why' in the output, or in the output of tests that CTest ran, report tests left out; finish lists them, the tests that
# were tried again, the five that took longest, and what failed: a CI that keeps no more than the last lines of its output shows why it failed. Two seconds of processors in each second are a machine of two that never waits.
# ASSAY_EXPECT: names of tools that must be installed ("nvcc python"); a skip whose reason contains such a name is a failure.
total_passed=0
total_failed=0
counts_dir=$(mktemp -d)
trap 'rm -rf "$counts_dir"' EXIT

# counts_ctest: ctest's summary as our line
counts_ctest() {
    sed -nE 's/^.*% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*$/\1 \2/p' "$1" | tail -1
}

# skips_of LOG: each reason once.
skips_of() {
    {
        cat "$1"
        sed -n 's/^Test project //p' "$1" | while read -r folder; do
            cat "$folder/Testing/Temporary/LastTest.log"
        done
    } 2>/dev/null | sed -n 's/^.*SKIPPED: //p' | sort -u
}

# note_skips NAME LOG: records the step's skips; returns 1 if one of them is for lack of an expected tool.
note_skips() {
    local why word code=0
    while IFS= read -r why; do
        printf '  %s: %s\n' "$1" "$why" >>"$counts_dir/skips"
        for word in ${ASSAY_EXPECT:-}; do
            grep -qiE "(^|[^a-z])$word" <<<"$why" || continue
            echo "skipped, although ASSAY_EXPECT names $word: $why"
            code=1
        done
    done < <(skips_of "$2")
    return $code
}

# times_of LOG: seconds and name of each test that CTest or tests/run.sh ran.
times_of() {
    sed -nE -e 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9]+)\.[0-9]+ sec$/\2 \1/p' \
        -e 's/^ok    ([^ ]+) \(([0-9]+) s.*/\2 \1/p' "$1"
}

# failures_of LOG: what a script that adds up tests itself listed, else what tests/run.sh or CTest printed of each failed test (40 lines
# at most), else the last 20 lines.
failures_of() {
    local said
    said=$(sed -n '/^failed:$/,/^[0-9]* passed, /p' "$1" | grep -vE '^failed:$|^[0-9]+ passed, ')
    [ -n "$said" ] || said=$(awk '
        /^FAIL  / || /^ *[0-9]+\/[0-9]+ Test +#.*\*\*\*/ { left = 40 }
        /^ok    / || /^ *Start +[0-9]+: / || /^ *[0-9]+\/[0-9]+ Test +#.* Passed / || /% tests passed/ { left = 0 }
        /^[0-9]+ passed, [0-9]+ failed/ { left = 0 }
        left-- > 0' "$1")
    [ -n "$said" ] || said=$(tail -20 "$1")
    printf '%s\n' "$said"
}

# cpu_seconds: what processors have spent on all commands that have ended so far, in $cpu. (In $(...) they would be another shell's.)
cpu_seconds() {
    times >"$counts_dir/cpu"
    cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$counts_dir/cpu")
}

# step NAME COMMAND...
step() {
    local name=$1 log=$counts_dir/log code=0 started=$SECONDS passed failed line cpu cpu_before
    shift
    cpu_seconds
    cpu_before=$cpu
    echo "== $name"
    "$@" 2>&1 </dev/null | tee "$log"
    code=${PIPESTATUS[0]}
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -1)
    if [ -n "$line" ]; then
        read -r passed _ failed _ <<<"$line"
    elif line=$(counts_ctest "$log") && [ -n "$line" ]; then
        read -r failed passed <<<"$line"
        passed=$((passed - failed))
    else
        passed=$((code == 0 ? 1 : 0))
        failed=$((code == 0 ? 0 : 1))
    fi
    [ "$code" -ne 0 ] && [ "$failed" -eq 0 ] && failed=1
    times_of "$log" >>"$counts_dir/times"
    sed -n "s/^tried again: /  $name: /p" "$log" >>"$counts_dir/again"
    note_skips "$name" "$log" || failed=$((failed + 1))
    [ "$failed" -eq 0 ] || { echo "$name:"; failures_of "$log"; } >>"$counts_dir/failures"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    cpu_seconds
    echo "== $name: $passed passed, $failed failed, $((SECONDS - started)) s, $((cpu - cpu_before)) s of processors"
}

# aside COMMAND...: takes its steps beside those that follow, until `join` prints what they said and adds them up. One at a time.
aside() {
    mkdir "$counts_dir/aside"
    (
        trap - EXIT # the folder is not its own
        counts_dir=$counts_dir/aside total_passed=0 total_failed=0
        "$@"
        echo "$total_passed $total_failed" >"$counts_dir/totals"
    ) >"$counts_dir/aside.said" 2>&1 &
    aside=$!
}

join() {
    local passed=0 failed=1 list
    wait "$aside"
    cat "$counts_dir/aside.said"
    [ -s "$counts_dir/aside/totals" ] && read -r passed failed <"$counts_dir/aside/totals"
    total_passed=$((total_passed + passed))
    total_failed=$((total_failed + failed))
    for list in times skips again failures; do
        [ -s "$counts_dir/aside/$list" ] && cat "$counts_dir/aside/$list" >>"$counts_dir/$list"
    done
    rm -rf "$counts_dir"/aside{,.said}
}

# The skips, the slowest tests, what failed, the closing line, and the exit code: no test at all is a failure too.
finish() {
    if [ -s "$counts_dir/skips" ]; then
        echo "skipped:"
        sort -u "$counts_dir/skips"
    fi
    [ -s "$counts_dir/again" ] && { echo "tried again, since the machine was busy:"; cat "$counts_dir/again"; }
    [ -s "$counts_dir/times" ] &&
        echo "slowest:$(sort -rn "$counts_dir/times" | head -5 | sed -E 's/(.*) (.*)/ \2 \1 s,/' | tr -d '\n' | sed 's/,$//')"
    [ -s "$counts_dir/failures" ] && { echo "failed:"; cat "$counts_dir/failures"; }
    echo "$total_passed passed, $total_failed failed"
    [ "$total_failed" -eq 0 ] && [ "$total_passed" -gt 0 ]
}
