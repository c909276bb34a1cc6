# A table that cannot be written is refused before anything is tried; one that fails later comes after the answer.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
manifest "values: {A: [1, 2]}, effects: [{when: {A: 2}, sim: {slower_pct: -20}}]" "a: scale/fp32/n64"
tune() { report_of tune --device sim:steady "$@"; }
tune --emit /no/such/folder/x.h; echo "no folder: $?"
tune --output /no/such/folder/x.json; echo "no folder: $?"
ls runs 2>/dev/null
tune --output /dev/full --emit /dev/full >out; echo "full: $?"
grep -cE '^A=2 ' out; ls runs/*/log.md | wc -l
