#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the broken CUDA kernels and compares what assay finds with expected.txt. run.sh FOLDER: modules that
# build.sh built; ASSAY: the program; DEVICE: default cuda:0; ISOLATION: none or process. One line a case; exit code 1 if one differs.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: run.sh FOLDER}
folder=$(cd "$folder" && pwd)
assay=${ASSAY:-$here/../../build/default/assay}
device=${DEVICE:-cuda:0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# The first outcome that is not OK, else OK; "-" if the run recorded no outcome.
member() {
    local values
    values=$(grep -o "\"$1\": *\"[A-Za-z_]*\"" out.json | sed 's/.*"\([A-Za-z_]*\)"$/\1/')
    { grep -vx "$2" <<<"$values" | grep . || grep -x "$2" <<<"$values" || echo "$3"; } | head -1
}

case_count=0 wrong_count=0
while read -r name how problem outcome finding; do
    case $name in '' | '#'*) continue ;; esac
    command=(fuzz)
    [ "$how" = round ] && command=(bench --iters 5)
    timeout 60 "$assay" "${command[@]}" ${ISOLATION:+--isolation "$ISOLATION"} --module "$folder/$name.so" --problem "$problem" --device "$device" \
        --json >out.json 2>err.txt
    code=$?
    got_outcome=$(member outcome OK -) got_finding=$(member finding none none)
    mark=ok
    if [ "$got_outcome $got_finding" != "$outcome $finding" ]; then
        mark=WRONG
        wrong_count=$((wrong_count + 1))
    fi
    case_count=$((case_count + 1))
    printf '%-5s %-20s %-5s %-11s %-14s code %s' "$mark" "$name" "$how" "$got_outcome" "$got_finding" "$code"
    [ $mark = ok ] || printf '   expected %s %s; %s' "$outcome" "$finding" "$(tail -1 err.txt)"
    printf '\n        %s\n' "$(grep -o '"message": *"[^"]*"' out.json | head -1)"
done <"$here/expected.txt"
echo "broken kernels: $((case_count - wrong_count)) of $case_count as expected"
[ "$wrong_count" = 0 ]
