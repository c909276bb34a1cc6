#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that every header compiles alone: those of src/ and peers/ as C17; the ABI as C99, as C++17, and with nvcc if installed.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
CC=${CC:-cc}
CXX=${CXX:-c++}
failures=0

# try NAME COMMAND...: prints NAME if the command fails.
try() {
    local what=$1 output
    shift
    if ! output=$("$@" 2>&1); then
        echo "$what does not compile alone:"
        echo "$output"
        failures=$((failures + 1))
    fi
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
warnings=(-Wall -Wextra -Wpedantic -Wundef -Werror)

# alone HEADER NAME FLAGS...: compiles a file that includes the header twice, to test its guard.
alone() {
    local header=$1 name=$2
    shift 2
    printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$name" "$name" >"$scratch/alone.c"
    try "$header" "$CC" -std=c17 -D_GNU_SOURCE "${warnings[@]}" "$@" -Iinclude -fsyntax-only "$scratch/alone.c"
}

read -ra libpq < <(pkg-config --cflags libpq 2>/dev/null) # in a folder of its own on Debian
while IFS= read -r header; do
    alone "$header" "${header#src/}" -Isrc "${libpq[@]}"
done < <(find src -name '*.h' | sort)
for header in peers/*/*.h; do
    alone "$header" "$(basename "$header")" -I"$(dirname "$header")" -Ikernels
done

for extension in c cc cu; do
    printf '#include <assay/kernel.h>\n#include <assay/kernel.h>\nextern int not_empty;\n' >"$scratch/abi.$extension"
done
cat >"$scratch/kernel" <<'END'
static int launch(ASSAY_LAUNCH_ARGS) { return ASSAY_OK; }
ASSAY_WORKSPACE(prepare, assay_problem_get(problem, "n") * 4)
ASSAY_KERNEL(.name = "a", .op = "scale", .backend = "cpu", .launch = launch, .prepare = prepare)
END
cat "$scratch/kernel" >>"$scratch/abi.c"
grep -v WORKSPACE "$scratch/kernel" | sed 's/, .prepare = prepare//' >>"$scratch/abi.cc"
try "include/assay/kernel.h as C99" "$CC" -std=c99 "${warnings[@]}" -Iinclude -fsyntax-only "$scratch/abi.c"
if command -v "$CXX" >/dev/null; then
    try "include/assay/kernel.h as C++17" "$CXX" -std=c++17 "${warnings[@]}" -Iinclude -fsyntax-only "$scratch/abi.cc"
else
    echo "SKIPPED: no C++ compiler, the ABI header as C++17"
fi
nvcc=$(command -v nvcc || command -v "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" || true)
if [ -n "$nvcc" ]; then
    try "include/assay/kernel.h with nvcc" "$nvcc" -std=c++17 -Iinclude -c -o "$scratch/abi.o" "$scratch/abi.cu"
else
    echo "SKIPPED: no nvcc, the ABI header in CUDA"
fi

if [ "$failures" -gt 0 ]; then
    echo "check_headers: $failures headers do not compile alone"
    exit 1
fi
echo "check_headers: every header compiles alone"
