#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# How quick is the store, in a file and on a PostgreSQL server on the same machine? First with a million results over 100 commits,
# written by the library from results without samples (bench/store_speed.c). Then as a user imports files, JSON to read and
# documents to compress: runs of 2000 problems, with samples as `bench` takes them and with few; and the first once more, when
# nothing is new. The processor's time is that of assay alone.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build/default}
cmake --build "$build" --target assay store_speed >/dev/null
export ASSAY=$PWD/$build/assay SPEED=$PWD/$build/store_speed
source=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'version: 1\nkernels: {}\nstore: none\n' >assay.yaml
for samples in 100 10; do
    rm -rf runs
    "$ASSAY" bench --device sim:steady --kernel sim --iters $samples --quiet >/dev/null
    python3 "$source/bench/store_documents.py" runs/*/result.json "made$samples" 10 2000
done

cat >measure.sh <<'S'
# usage: measure.sh MILLION IMPORTED SMALL, three addresses
set -euo pipefail
import() { # $1: words, $2: folder, $3: address
    local spent TIMEFORMAT='%R %U %S'
    spent=$({ time "$ASSAY" history import --store "$3" "$2" >/dev/null; } 2>&1)
    awk -v words="$1" -v mb="$(du -sm "$2" | cut -f1)" '{
        printf "import of files, %s: %.0f results a second, %.0f a second of one processor (%d MB of JSON)\n",
            words, 20000 / $1, 20000 / ($2 + $3), mb }' <<<"$spent"
}
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
"$SPEED" "$1"
import "100 samples" made100 "$2"
import "100 samples, again" made100 "$2"
import "10 samples" made10 "$3"
S
echo "SQLite:"
bash measure.sh million.db imported.db small.db
echo "PostgreSQL:"
code=0
"$source/tests/postgres.sh" bash -c '
    for name in million imported small; do psql -q "$ASSAY_TEST_POSTGRES" -c "CREATE DATABASE $name"; done
    exec bash measure.sh $(for name in million imported small; do echo "${ASSAY_TEST_POSTGRES/\/postgres\?//$name?}"; done)' || code=$?
[ $code = 0 ] || [ $code = 77 ] # 77: there is none
