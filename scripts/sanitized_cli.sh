#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The command-line tests on a build with sanitizers:   scripts/sanitized_cli.sh BUILD_DIR [options of tests/run.sh]
# What --quick leaves out (tests/run.sh says by which rule) runs without sanitizers in `make test` and `make test-long`.
# No leak detection: a program may end with memory allocated, and a leak report would change its exit code.
set -euo pipefail
cd "$(dirname "$0")/.."
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
ASSAY=$PWD/$1/assay exec tests/run.sh --quick "${@:2}"
