# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a small user's repository with one kernel, committed, in the current folder.
project() { # $1: gate settings to add
    git init -q -b main . && git config user.email t@example.org && git config user.name tester
    mkdir -p csrc && cp "$ASSAY_SOURCE/tests/cli/_slow_attention.c" csrc/mine.c
    cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: attention, backend: cpu, source: csrc/mine.c}
suites:
  pr: {problems: {a: attention/fp32/b1/h2/s64/d64, b: attention/fp32/b1/h2/s160/d32}}
  tiny: {problems: {t: attention/fp32/b1/h2/s33/d16}}
gate: {suite: pr, check: tiny, candidate: mine}
Y
    printf 'runs/\n' >.gitignore
    git add -A && git commit -qm "first"
}
# The same for simulated devices: a kernel that is a script, two problems measured, two checked; gates use sim:steady.
sim_project() {
    git init -q -b main . && git config user.email t@example.org && git config user.name tester
    cat >assay.yaml <<'Y'
version: 1
kernels:
  mine: {operator: scale, backend: sim, sim: {base_us: 100}}
suites:
  pr: {problems: {a: scale/fp32/n64, b: scale/fp32/n65}}
  tiny: {problems: {s: scale/fp32/n16, t: scale/fp32/n17}}
gate: {suite: pr, check: tiny, candidate: mine, regression_pct: 3}
limits: {case_s: 60, gate_s: 600}
Y
    printf 'runs/\n' >.gitignore
    git add -A && git commit -qm "first"
}
sim_gate() { report_of gate --device sim:steady --baseline git:HEAD "$@"; }
# 6.25 % more arithmetic: every 16th row is computed twice
slow_down() { sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 16/' "${1:-csrc/mine.c}"; }
# Statements for the beginning of each launch of csrc/mine.c, and headers for them.
in_each_launch() { # $1: statements; others: headers
    python3 - "$@" <<'P'
import sys
code, *headers = sys.argv[1:]
text = open('csrc/mine.c').read()
mark = "    const struct assay_cpu_stream *cpu = stream;\n"
assert mark in text
includes = "".join(f"#include <{header}>\n" for header in headers)
open('csrc/mine.c', 'w').write("#define _GNU_SOURCE\n" + includes + text.replace(mark, mark + f"    {code}\n"))
P
}
# No worker of this test (one that works in the current folder) may be left behind; dying ones have half a minute.
no_workers() {
    local tries pid left
    for tries in $(seq 600); do
        left=""
        for pid in $(pgrep -f "assay worker"); do
            [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && left="$left $pid"
        done
        [ -n "$left" ] || return 0
        sleep 0.05
    done
    echo "left behind after $tries looks:$left" >&2
    exit 99
}
