# An option of history that has no effect is refused, and nothing is done.
assay init --output assay.yaml >/dev/null
export ASSAY_STORE=history.db
try() { printf '%s: ' "$*"; assay history "$@" 2>&1 | head -1; echo "exit ${PIPESTATUS[0]}"; }
mkdir runs
try import runs --dry-run
[ -e history.db ] && echo "a store was made"
try import runs
try list --format csv
try plot --format csv
try changes --before 2026-01-01
try --dry-run
try prune --before 2026-01-01 --dry-run
try show nothing --format markdown
