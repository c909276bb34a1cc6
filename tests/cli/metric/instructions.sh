# Counts repeat under any load: A/A shows 0.0 %, and 2 % more arithmetic is a regression while every processor is busy.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
grep -q __asan_init "$ASSAY" && { echo "SKIPPED: Valgrind runs no program with sanitizers"; exit 0; }
command -v valgrind >/dev/null || { echo "SKIPPED: valgrind is not installed"; exit 0; }
project; sed -i 's/a: attention.fp32.b1.h2.s64.d64, b: attention.fp32.b1.h2.s160.d32/a: attention\/fp32\/b1\/h1\/s100\/d32/' assay.yaml
git commit -qam "one problem"
gate() { report_of gate --baseline git:HEAD --metric instructions --isolation none "$@"; }
for i in $(seq "$(nproc)"); do nice -n 19 bash -c "while :; do :; done" & loads="$loads $!"; done
trap 'kill $loads' EXIT
gate --measure-same >same.out; echo "same: $?"; grep -E '^(nothing|metric|a )' same.out
slow_down; sed -i 's/#define EXTRA_ROWS 16/#define EXTRA_ROWS 50/' csrc/mine.c
gate >more.out; echo "2 % more: $?"; grep -E '^(the|a )' more.out
grep -o '"rule": "counts"' runs/*/result.json | sort | uniq -c | wc -l
no_workers
