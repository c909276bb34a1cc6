#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# How quick is the store? First with a million results over 100 commits, written by the library from results without samples
# (bench/store_speed.c). Then as a user imports files: 10 runs of 2000 problems with 100 samples each, JSON to read and
# documents to compress, and the same files once more, when nothing is new.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
cmake --build "$build" --target assay store_speed >/dev/null
assay=$PWD/$build/assay speed=$PWD/$build/store_speed
made=$PWD/bench/store_documents.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
"$speed" million.db

printf 'version: 1\nkernels: {}\nstore: none\n' >assay.yaml
"$assay" bench --device sim:steady --kernel sim --quiet >/dev/null
python3 "$made" runs/*/result.json made 10 2000
for when in first again; do
    began=${EPOCHREALTIME/./}
    "$assay" history import --store imported.db made >/dev/null
    took=$((${EPOCHREALTIME/./} - began))
    echo "import of files, $when: $((20000 * 1000000 / took)) results a second ($(du -sm made | cut -f1) MB of JSON)"
done
