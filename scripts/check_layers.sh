#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Does every folder include only what its row of the table names, and is every file name unique? A new folder needs a
# row here. System headers and <assay/kernel.h> are open to all of src/; kernels see nothing of src/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70

table() {
    cat <<'TABLE'
base:
device:
stats: base
op: base device
record: base op
format: base stats op record
plan: base op record
build: base plan record
exec: base plan record build
verdict: base stats record
report: base record stats verdict
flow: base op record plan build exec verdict stats report
cmd: base stats op record format plan build exec verdict report flow
module: base op record backend
backend: base record device
check: base op record module backend device
measure: base stats record module backend
counters: base backend
worker: base op record stats module backend check measure counters device
TABLE
}

failures=0
fail() {
    echo "$1"
    failures=$((failures + 1))
}

declare -A allowed
while IFS=: read -r folder names; do
    allowed[$folder]=" $folder $names "
done < <(table)

# FILE:LINE:INCLUDED for every #include "..." below the folders given.
quoted_includes() {
    grep -rnE --include='*.[ch]' --include='*.cu' --include='*.cuh' --include='*.cc' --include='*.cpp' \
        '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$@" 2>/dev/null |
        sed -E 's/^([^:]*:[0-9]+):.*include[[:space:]]*"([^"]*)".*/\1:\2/'
}

for folder in src/*/; do
    name=$(basename "$folder")
    [ -n "${allowed[$name]+set}" ] || { fail "$folder: no row in the include table of scripts/check_layers.sh"; continue; }
    while IFS=: read -r file line included; do
        target=${included%%/*}
        case $included in
        assay_config.h | gen/assay_config.h | */../* | ../*) ;;
        */*) ;;
        *) fail "$file:$line: write \"$name/$included\", relative to src/" ; continue ;;
        esac
        [ "$(basename "$included")" = assay_config.h ] && continue # made by CMake
        row=${allowed[$name]}
        [ "$file" = src/cmd/worker.c ] && row="$row worker "
        case $row in
        *" $target "*) ;;
        *) fail "$file:$line: $name/ must not include $included (allowed:${row% })" ;;
        esac
        [ -e "src/$included" ] || fail "$file:$line: there is no src/$included"
    done < <(quoted_includes "$folder")
done

# Kernels: the ABI, what all kernels share, and their own folder.
if [ -d kernels ]; then
    while IFS=: read -r file line included; do
        case $included in
        common/* | "$(basename "$(dirname "$file")")"/*) ;;
        *) fail "$file:$line: kernels include <assay/kernel.h>, common/* and their own folder, not $included" ;;
        esac
    done < <(quoted_includes kernels)
fi
# Peers: the ABI, what all kernels share, and files beside them.
while IFS=: read -r file line included; do
    [[ $included == common/* && -e kernels/$included ]] || [ -e "$(dirname "$file")/$included" ] ||
        fail "$file:$line: peers include <assay/kernel.h>, kernels' common/* and files beside them, not $included"
done < <(quoted_includes peers)
# Kernels of the tests are what an outsider writes: the ABI, or files beside them.
for folder in tests/broken tests/broken_cuda; do
    while IFS=: read -r file line included; do
        [ -e "$folder/$included" ] || [ -e "kernels/$included" ] ||
            fail "$file:$line: test kernels include only <assay/kernel.h> and files beside them, not $included"
    done < <(quoted_includes "$folder")
done
# The ABI header stands alone.
if quoted_includes include | grep -q .; then fail "include/: the ABI must not include other files of this tree"; fi

# Examples are what an outsider writes.
while IFS=: read -r file line included; do
    [ -e "$(dirname "$file")/$included" ] ||
        fail "$file:$line: examples include only <assay/kernel.h> and files beside them, not $included"
done < <(quoted_includes examples)

while read -r name; do
    fail "the file name $name is not unique: $(find src peers -name "$name" | sort | tr '\n' ' ')"
done < <(find src peers \( -name '*.[ch]' -o -name '*.cu*' \) -printf '%f\n' | sort | uniq -d)

if [ "$failures" -gt 0 ]; then
    echo "check_layers: $failures violations"
    exit 1
fi
echo "check_layers: every include points down, every file name is unique"
