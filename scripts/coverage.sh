#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Line coverage of src/ by the unit tests: builds the coverage preset, runs CTest, prints lines and percentage of each file, the
# least covered first.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset coverage >/dev/null
cmake --build --preset coverage -j "$(nproc)" >/dev/null
find build/coverage -name '*.gcda' -delete
ctest --test-dir build/coverage --output-on-failure --no-tests=error | tail -3
find build/coverage -name '*.gcda' -path '*src*' -print0 |
    xargs -0 gcov -n 2>/dev/null |
    awk -F"[':%]" -v root="$PWD/" '
        /^File/ { file = $2; sub(root, "", file) }
        /^Lines executed/ && file ~ /^src\/.*\.c$/ {
            share = $2 + 0; split($0, parts, " of ")
            printf "%6.1f %% of %4d  %s\n", share, parts[2], file
        }' | sort -n
