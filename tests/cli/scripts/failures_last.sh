# What failed stands before CI's last line, whoever ran it: CTest, tests/run.sh, a script that adds up tests, or a command.
. "$ASSAY_SOURCE/scripts/counts.sh"
times_of() { :; } # seconds differ
said_by_ctest() {
    cat <<'END'
      Start 1: unit/right
1/2 Test #1: unit/right .......................   Passed    0.01 sec
      Start 2: unit/wrong
2/2 Test #2: unit/wrong .......................***Failed    0.02 sec
wrong.c:7: 1 is not 2

50% tests passed, 1 tests failed out of 2
END
    return 8
}
said_by_run() {
    cat <<'END'
ok    area/right (0 s)
FAIL  area/wrong
      exit code 1, wanted 0
      out| text
ok    area/other (1 s)
2 passed, 1 failed
END
    return 1
}
said_by_script() {
    (
        total_passed=0 total_failed=0 counts_dir=$(mktemp -d)
        step "inner" said_by_run
        finish
    )
}
refused() {
    echo "no space left"
    return 74
}
{
    step "units" said_by_ctest
    step "commands" said_by_script
    step "right" true
    aside step "beside" refused
    join
} >/dev/null
finish
