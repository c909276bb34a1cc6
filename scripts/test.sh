#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs every test against a build (build/default, or the folder given) and ends with 'N passed, N failed'.
#   scripts/test.sh [BUILD_DIR]
# Units and statistics through CTest, command line, faults and broken kernels through tests/run.sh, the rules of the
# tree through the checks of scripts/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
build=${1:-build/default}
. scripts/counts.sh

step "unit tests" ctest --test-dir "$build" --output-on-failure --no-tests=error -j 2
step "include table" scripts/check_layers.sh
step "headers compile alone" scripts/check_headers.sh
step "sizes" scripts/check_size.sh
if [ -x tests/run.sh ]; then
    ASSAY="$PWD/$build/assay" step "command line, faults, broken kernels" tests/run.sh
fi
finish
