#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# An operator is known to its own folders only, src/op/<name>/ and kernels/<name>/: no other C, CUDA or Python file of the product
# names an operator in a string, uses its tensor roles, or one of its axes by name. Axes and scalars are read from the operator's
# own describe function: {"seq_q", (double)...}.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70

failures=0
# Files that may: the list of operators, names for help texts, the ABI's closed list of roles, and the older result form, which
# only attention has.
allowed='^(src/op/(table\.c|example\.h)|include/assay/kernel(_supports)?\.h|src/verdict/integrated\.[ch]):'

for folder in src/op/*/; do
    name=$(basename "$folder")
    [ "$name" = declared ] && continue # no operator: what is behind all that manifests declare
    # The peers that the operator's table names are its own too: {"cudnn", NULL, ...}, {"torch", "torch_sdpa:own", ...}.
    peers=$(sed -nE 's/^ *[{]"([a-z_0-9]+)", NULL, .*/\1/p; s/^ *[{]"[a-z_0-9:]+", "([a-z_0-9]+):.*/\1/p' "$folder"*.c |
        sort -u | paste -sd'|')
    own="^(src/op/|kernels/$name/${peers:+|peers/($peers)[/.]})"
    words="(op|operator|operator_find) *([!=]?=|\\() *\"$name\"|\"([^\"]*[^A-Za-z_\"])?$name/[a-z<%]" # as .op, or in a problem's name
    # names of two words: batch, m and the like are everybody's
    axes=$(grep -hoE '\{"[a-z]+_[a-z_]+", \(double\)' "$folder"*.c | grep -oE '[a-z]+_[a-z_]+' | sort -u | paste -sd'|')
    [ -n "$axes" ] && words="$words|\\b($axes)\\b"
    while IFS= read -r line; do
        echo "operator $name is named outside its folders: $line"
        failures=$((failures + 1))
    done < <(git ls-files src include kernels/common peers | grep -vE "$own|\.md$" | xargs grep -nE "$words" | grep -vE "$allowed")
done
while IFS= read -r line; do
    echo "a tensor role of one operator: $line"
    failures=$((failures + 1))
done < <(git ls-files src peers/*.py kernels/common | grep -vE '^src/op/[a-z_0-9]+/' |
    xargs grep -nE '\bASSAY_(Q|K|V|O|LSE|[QKV]_SCALE|X|Y)\b')

if [ "$failures" -gt 0 ]; then
    echo "check_operators: $failures places"
    exit 1
fi
echo "check_operators: $(find src/op -mindepth 1 -maxdepth 1 -type d ! -name declared | wc -l) operators, each known to its own folders only"
