# An option or a word of history that has no effect is refused, and nothing is done; so is a date that is none.
assay init --output assay.yaml >/dev/null
export ASSAY_STORE=history.db
try() { printf '%s: ' "$*"; assay history "$@" 2>&1 | grep -v '^{' | head -1; echo "exit ${PIPESTATUS[0]}"; }
mkdir runs
try import runs --dry-run
[ -e history.db ] && echo "a store was made"
try import runs
try import runs --json
try import
try list --format csv
try list somerun
try list --problem scale/fp32/n64
try --side nope
try plot --format csv
try plot --problem p --json
try plot
try problems --limit 1
try changes --before 2026-01-01
try export --json --format csv
try --dry-run
try --device cuda:0
try --since garbage
try tunings --problem p
try tunings 7 --suite x
try profiles 7 8
try show nothing --format markdown
try show
try prune
try prune --before 2026-01-01 --dry-run
for date in yesterday 26.11.2020 2026-02-30 2026 ''; do try prune --before "$date"; done
try prune somerun --before 2026-01-01
try prune --before 2026-01-01 --limit 1
try prune --before 2026-01-01 --side old
