#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests against a build (build/default, or the folder given); ends with the slowest ones and 'N passed, N failed'.
#   scripts/test.sh [--long] [BUILD_DIR]
# Units through CTest, command line, faults and broken kernels through tests/run.sh; the rules of the tree are `make lint`.
# --long: what takes longer instead, the trials of the statistics and the tests marked "# long"; PART=K/N: one of N parts of the latter.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
is_long=0
[ "${1:-}" = --long ] && { is_long=1; shift; }
build=${1:-build/default}
. scripts/counts.sh
export ASSAY=$PWD/$build/assay
units() { ctest --test-dir "$build" --output-on-failure --no-tests=error "$@"; }

if [ $is_long = 1 ]; then
    step "trials of the statistics" units -L stats -j "$(nproc)"
    step "long tests of the command line" tests/run.sh --long --part "${PART:-1/1}"
    finish
    exit
fi
step "unit tests" units -LE stats -j "$(($(nproc) + 1))" # many wait for processes
step "command line, faults, broken kernels" tests/run.sh --short
finish
