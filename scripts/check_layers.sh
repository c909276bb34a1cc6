#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every folder includes only what its row of the table names (a row holds for the folders below it); no folders include each other in a
# circle, and no files of a folder call or include each other in one; every file name is unique. A new folder needs a row here. System headers and <assay/kernel.h> are
# open to all of src/; kernels see nothing of src/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70

table() {
    cat <<'TABLE'
base:
base/process: base
device: kernels/common
stats: base
op: base device
record: base op
store: base record stats
profile: base op record
verdict: base stats record profile
report: base stats record store verdict profile control/tune
format: base stats op record
code_host: base record report
control/plan: base op record
control/tune: base stats op record control/plan profile
control/compile: base record control/plan
control/exec: base record control/plan control/compile
control/flow: base stats op record store control/plan control/tune control/compile control/exec verdict report profile code_host
serve: base stats record store verdict report profile control/flow
serve/pages:
control/cmd: base stats op record store serve format verdict report profile code_host control/plan control/tune control/compile control/exec control/flow
worker/backend: base stats op record device
worker/module: base op record worker/backend
worker/host: base stats record op worker/backend worker/module
worker/check: base op record device worker/module worker/backend worker/host
worker/measure: base stats record worker/module worker/backend worker/host
worker/order: base stats op record device worker/module worker/backend worker/check worker/measure worker/host
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

# row_of PATH: the longest row of the table that PATH lies in; nothing when there is none.
row_of() {
    local path=$1
    while [ -n "$path" ]; do
        [ -n "${allowed[$path]+set}" ] && { echo "$path"; return; }
        case $path in */*) path=${path%/*} ;; *) path='' ;; esac
    done
}

while IFS= read -r folder; do
    compgen -G "$folder/*.*" >/dev/null || continue # holds folders only
    name=${folder#src/}
    row=$(row_of "$name")
    [ -n "$row" ] || { fail "$folder: no row in the include table of scripts/check_layers.sh"; continue; }
    while IFS=: read -r file line included; do
        case $included in *assay_config.h | builtin_modules.h | page_list.h) continue ;; esac # made by CMake
        # PTX instructions as functions are written once, for kernels and for those that measure ceilings.
        case $included in common/*) [ "$row" = device ] && [ -e "kernels/$included" ] && continue ;; esac
        [ -e "src/$included" ] || { fail "$file:$line: there is no src/$included (includes are relative to src/)"; continue; }
        target=$(row_of "$(dirname "$included")")
        names=${allowed[$row]}
        [ "$file" = src/control/cmd/worker.c ] && names="$names worker/order "
        case $file in src/control/cmd/host.c | src/control/cmd/confined.c) names="$names worker/host " ;; esac
        # A folder that may include base may include base/process too, except base itself.
        [ "$target" = base/process ] && [ "$row" != base ] && target=base
        case $names in
        *" $target "*) ;;
        *) fail "$file:$line: $row/ must not include $included (allowed:${names% })" ;;
        esac
    done < <(quoted_includes "$folder" | awk -F: -v folder="$folder/" 'substr($1, length(folder) + 1) !~ /\//')
done < <(find src -mindepth 1 -type d | sort)

# ---- circles of folders ----
# loop_of: the members of a loop in a graph of "from to" lines; nothing where there is none. tsort prints "tsort: -: input contains a
# loop:" and then its members, one a line.
loop_of() { tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-].*\)/\1/p' | sort -u | tr '\n' ' '; }

loop=$(quoted_includes src | sed -nE 's#^src/(.*)/[^/]*:[0-9]+:(.*)/[^/]*$#\1 \2#p' | awk '$1 != $2' | sort -u | loop_of)
[ -z "$loop" ] || fail "src: folders in a circle of includes: $loop"

# ---- circles of files inside a folder ----
# X.c, X.h and X_internal.h count as one file. Two graphs must be free of loops: calls between files, and includes between files. Printed as "caller callee"; tsort says what lies on a loop.
# edges FOLDER calls|includes
edges() {
    find "$1" -maxdepth 1 -name '*.[ch]' | sort | xargs -r awk -v folder="${1#src/}/" -v wanted="$2" '
    function stem(path) { sub(/.*\//, "", path); sub(/\.[ch]$/, "", path); sub(/_internal$/, "", path); return path }
    FNR == 1 { file = stem(FILENAME); is_source = FILENAME ~ /\.c$/; signature = "" }
    /^[ \t]*#[ \t]*include "/ {
        split($0, parts, "\"")
        if (wanted == "includes" && index(parts[2], folder) == 1 && substr(parts[2], length(folder) + 1) !~ /\//)
            print file, stem(parts[2])
    }
    wanted == "includes" || !is_source { next }
    {
        gsub(/"([^"\\]|\\.)*"/, "\"\""); sub(/\/\/.*/, "")
        # A definition starts in column 0, may go on over some lines, and ends with a brace (the layout of clang-format).
        if (signature != "" || /^[A-Za-z_]/) {
            signature = signature " " $0
            if (/;[ \t]*$/ || /}[ \t]*$/ || /^#/) signature = ""
            else if (/{[ \t]*$/) {
                if (signature !~ /^ (__attribute__.* )?(static|typedef|struct [a-z_]+ {|enum)/ && signature ~ /\) *{/ && signature !~ /=/) {
                    name = signature; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
                    defined[name] = file
                }
                signature = ""
            }
        }
        text = $0
        while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
            used[file, substr(text, RSTART, RLENGTH)] = 1
            text = substr(text, RSTART + RLENGTH)
        }
    }
    END {
        for (pair in used) {
            split(pair, parts, SUBSEP)
            if (parts[2] in defined) print parts[1], defined[parts[2]]
        }
    }' | awk '$1 != $2' | sort -u
}

while IFS= read -r folder; do
    for graph in calls includes; do
        loop=$(edges "$folder" $graph | loop_of)
        [ -z "$loop" ] || fail "$folder: files in a circle of $graph: $loop"
    done
done < <(find src -type d | sort)

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
    [ -e "kernels/$included" ] || [ -e "$(dirname "$file")/$included" ] ||
        fail "$file:$line: peers include <assay/kernel.h>, headers of kernels/ and files beside them, not $included"
done < <(quoted_includes peers)
# Kernels of the tests are what an outsider writes: the ABI, or files beside them.
for folder in tests/broken tests/broken_cuda tests/honest; do
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
echo "check_layers: every include points down, no circle of folders or of files in one, every file name is unique"
