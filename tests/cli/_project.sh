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
  pr: {problems: {a: attention/fp32/b1/h2/s128/d64, b: attention/fp32/b1/h2/s160/d32}}
  tiny: {problems: {t: attention/fp32/b1/h2/s33/d16}}
gate: {suite: pr, check: tiny, candidate: mine}
Y
    printf 'runs/\n' >.gitignore
    git add -A && git commit -qm "first"
}
# 6.25 % more arithmetic: every 16th row is computed twice
slow_down() { sed -i 's/#define EXTRA_ROWS 0/#define EXTRA_ROWS 16/' "${1:-csrc/mine.c}"; }
# no process of ours may be left behind
no_workers() { ! pgrep -f "assay worker" >/dev/null || { echo "a worker is left behind"; pgrep -af "assay worker"; exit 99; }; }
