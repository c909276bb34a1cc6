#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a reviewer should not have to say: format, include table, headers, sizes, leftovers, paths of one machine.
# scripts/lint.sh [--tidy]: with clang-tidy over src/ too (slow).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
. scripts/counts.sh

sources() {
    find src kernels include tests bench \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0
}

check_format() {
    if ! command -v clang-format >/dev/null; then
        echo "clang-format is missing; install it with scripts/deps.sh lint"
        return 1
    fi
    sources | xargs -0 -r clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | head -40
    [ "${PIPESTATUS[1]}" -eq 0 ] || { echo "run make format"; return 1; }
}

check_leftovers() {
    # Spelt apart so that this script does not find itself.
    if git grep -nE 'TO''DO|FIX''ME' -- src kernels include tests bench scripts cmake docs '*.md' '*.yaml' \
        CMakeLists.txt Makefile .ci; then
        echo "leftovers: do it, or open an issue and say nothing here"
        return 1
    fi
}

check_paths() {
    if git grep -nE '/wo''rk/|/ro''ot/|\.\./sha''red' -- . ':!LICENSE'; then
        echo "paths of one machine do not belong into the tree"
        return 1
    fi
}

check_licence_line() {
    local missing
    missing=$(git ls-files '*.[ch]' '*.cu' '*.cuh' '*.cc' '*.cpp' '*.sh' '*.cmake' CMakeLists.txt Makefile ':!tests/cli' |
        xargs -r grep -L 'SPDX-License-Identifier: Apache-2.0')
    [ -z "$missing" ] && return
    echo "no SPDX line in: $missing"
    return 1
}

check_tidy() {
    cmake --preset default >/dev/null &&
        find src -name '*.c' -print0 | xargs -0 -r -n 8 -P 2 clang-tidy -p build/default --quiet
}

step "format" check_format
step "include table" scripts/check_layers.sh
step "headers compile alone" scripts/check_headers.sh
step "sizes" scripts/check_size.sh
step "leftovers" check_leftovers
step "paths" check_paths
step "licence lines" check_licence_line
if [ "${1:-}" = --tidy ]; then step "clang-tidy" check_tidy; fi
finish
