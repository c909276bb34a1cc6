#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Everything that a reviewer should not have to check by hand: format, include table, circles, headers, sizes, words, columns,
# leftovers, paths of one machine, Python that does not parse, its types, what documents name. scripts/lint.sh [--tidy | --format]: with clang-tidy over src/ too (slow); only formats all sources.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
. scripts/counts.sh

folders=(src kernels include peers examples tests bench)
emitted=(fa_dispatch.h 'fa_sm90*_table.h') # kernels/attention: tables as `assay tune --emit` wrote them, but for what they share
sources() {
    find "${folders[@]}" \( -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) \
        ! -name "${emitted[0]}" ! -name "${emitted[1]}" -print0
}

check_format() {
    if ! command -v clang-format >/dev/null; then
        echo "clang-format is missing; install it with scripts/deps.sh lint"
        return 1
    fi
    sources | xargs -0 -r clang-format --dry-run -Werror 2>&1 | grep -E 'error:' | head -40
    [ "${PIPESTATUS[1]}" -eq 0 ] || { echo "run make format"; return 1; }
}

check_python() {
    if ! command -v python3 >/dev/null; then
        echo "SKIPPED: no python3"
        return
    fi
    # Writes no byte code into the source tree. Python files that are broken on purpose fail at run time; they parse.
    git ls-files -z '*.py' | PYTHONPYCACHEPREFIX=$counts_dir/pycache xargs -0 -r python3 -m py_compile
}

check_types() { # of the module for Python, whose plugin takes the types of pytest where mypy's own interpreter has it
    if ! command -v mypy >/dev/null; then
        echo "mypy is missing; install it with scripts/deps.sh lint"
        return 1
    fi
    mypy --strict --no-error-summary --cache-dir "$counts_dir/mypy" python/assay
}

check_leftovers() {
    # Spelt apart so that this script does not find itself.
    if git grep -nE 'TO''DO|FIX''ME' -- "${folders[@]}" scripts cmake docs '*.md' '*.yaml' \
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
    missing=$(git ls-files '*.[ch]' '*.cu' '*.cuh' '*.cc' '*.cpp' '*.py' '*.sh' '*.cmake' CMakeLists.txt Makefile .ci/run \
        ':!tests/cli/*.sh' "${emitted[@]/#/:!kernels/attention/}" | xargs -r grep -L 'SPDX-License-Identifier: Apache-2.0')
    [ -z "$missing" ] && return
    echo "no SPDX line in: $missing"
    return 1
}

check_docs() {
    if ! command -v python3 >/dev/null; then
        echo "SKIPPED: no python3"
        return
    fi
    scripts/check_docs.py
}

check_workflows() { # 77: not at hand, and said
    scripts/actionlint.sh .github/workflows/*.yml || [ $? -eq 77 ]
}

check_tidy() {
    cmake --preset default >/dev/null &&
        find src -name '*.c' -print0 | xargs -0 -r -n 8 -P 2 clang-tidy -p build/default --quiet
}

if [ "${1:-}" = --format ]; then
    sources | xargs -0 -r clang-format -i
    exit
fi
step "format" check_format
step "include table" scripts/check_layers.sh
step "operators" scripts/check_operators.sh
step "headers compile alone" scripts/check_headers.sh
step "sizes" scripts/check_size.sh
step "words, columns" scripts/check_words.sh
step "leftovers" check_leftovers
step "paths" check_paths
step "licence lines" check_licence_line
step "Python parses" check_python
step "Python's types" check_types
step "the module's classes" scripts/document_classes.py --check
step "documents" check_docs
step "workflows" check_workflows
if [ "${1:-}" = --tidy ]; then step "clang-tidy" check_tidy; fi
finish
