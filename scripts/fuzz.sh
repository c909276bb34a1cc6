#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes every parser of foreign input: scripts/fuzz.sh [TARGET ...], FUZZ_SECONDS (30) seconds each.
#   scripts/fuzz.sh record result       two of tests/fuzz/fuzz_*.c
# Starts from tests/fuzz/corpus/ and from the inputs that earlier runs kept in build/fuzz/corpus/. An input that breaks a parser
# is saved in build/fuzz/found/ and makes the exit code 1; once the bug is fixed it belongs in the corpus of its target.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70
. scripts/counts.sh
seconds=${FUZZ_SECONDS:-30}
build=build/fuzz

if ! command -v clang >/dev/null; then
    echo "SKIPPED: clang is missing; install it with scripts/deps.sh fuzz"
    exit 0
fi
if ! echo 'int LLVMFuzzerTestOneInput(const char *b, long n) { return b && n > 9; }' |
    clang -fsanitize=fuzzer,address,undefined -x c - -o "$counts_dir/probe" 2>/dev/null; then
    echo "SKIPPED: clang's fuzzing runtime is missing; install libclang-rt-14-dev (scripts/deps.sh fuzz)"
    exit 0
fi

cmake --preset fuzz --log-level=WARNING >/dev/null && cmake --build --preset fuzz -j "${JOBS:-2}" || exit 70

# fuzz_one NAME: keeps inputs that reach new code; limits one input to 5 seconds and 1 GiB under the sanitizers.
fuzz_one() {
    mkdir -p "$build/corpus/$1" "$build/found"
    nice -n 10 "$build/tests/fuzz_$1" -max_total_time="$seconds" -max_len=65536 -len_control=20 -timeout=5 \
        -rss_limit_mb=1024 -print_final_stats=1 -print_funcs=0 -verbosity=0 -artifact_prefix="$build/found/$1-" \
        "$build/corpus/$1" "tests/fuzz/corpus/$1" 2>&1 | grep -vE '^(\"|#####)'
}

if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=${source##*/fuzz_}
        set -- "$@" "${name%.c}"
    done
fi
for name in "$@"; do
    step "fuzz $name" fuzz_one "$name"
done
finish
