# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: another process holds the lock of the processor; what its file says is the test's.
lock=$ASSAY_LOCKS/assay-cpu.lock
hold_lock() { # $1: what the file says
    printf '%s' "$1" >"$lock"
    flock --close "$lock" sleep 600 &
    holder=$!
    until ! flock --nonblock "$lock" true; do sleep 0.02; done
}
let_go() {
    pkill -P $holder
    kill $holder 2>/dev/null
    wait $holder 2>/dev/null
    until flock --nonblock "$lock" true; do sleep 0.02; done
}
short="--only a --rounds 5 --iters 5 --sample-time 0.1ms" # of a gate whose candidate is wrong, which measures the baseline alone
# A kernel that is wrong on every problem: its gate ends with 1 after the checks, whatever else the machine does.
wrong_project() {
    . "$ASSAY_SOURCE/tests/cli/_project.sh"
    project
    sed -i 's/sum += a\[d\] \* b\[d\]/sum += a[d] * b[d] * 2.0f/' csrc/mine.c
}
