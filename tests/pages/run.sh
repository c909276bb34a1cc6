#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# HTML reports in a real browser: tests/pages/check_page.mjs over the pages of a gate, of a bench, and of a result whose names are
# markup; then the dashboard (dashboard.sh). Needs node, chromium, python3, and playwright-core and axe-core of npm, which it installs in build/pages/. Without
# them a line says SKIPPED. ASSAY_PAGES_SHOTS=DIR keeps screenshots. Ends with 'N passed, N failed'.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/tests/pages}
assay=${ASSAY:-$root/build/default/assay}
modules=$root/build/pages
for tool in node chromium python3; do
    command -v "$tool" >/dev/null || { echo "SKIPPED: no $tool, pages in a browser"; exit 0; }
done
mkdir -p "$modules"
if ! cmp -s "$here/package.json" "$modules/package.json" || [ ! -d "$modules/node_modules/axe-core" ]; then
    cp "$here/package.json" "$modules/"
    if ! npm install --prefix "$modules" --no-audit --no-fund --silent >"$modules/npm.log" 2>&1; then
        rm -f "$modules/package.json"
        echo "SKIPPED: no axe-core and playwright-core (npm install failed), pages in a browser"
        exit 0
    fi
fi
export NO_COLOR=1 ASSAY_STORE=none
CHROMIUM=$(command -v chromium)
export CHROMIUM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70

cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:lab": {noise: {cv_pct: 0.8, ar1: 0.3}}
kernels:
  old: {operator: scale, backend: sim, sim: {base_us: 100}}
  new: {operator: scale, backend: sim, sim: {base_us: 94, slower_on: scale/fp32/n4096, slower_pct: 17}}
suites:
  pr: {problems: {n64: scale/fp32/n64, n512: scale/fp32/n512, n1k: scale/fp32/n1024, n4k: scale/fp32/n4096, n16k: scale/fp32/n16384}}
  tiny: {problems: {t: scale/fp32/n17}}
gate: {suite: pr, check: tiny, candidate: new}
Y
"$assay" gate --device sim:lab --candidate new --baseline old --quiet --output gate.json >gate.txt || [ $? -eq 1 ] || cat gate.txt
"$assay" bench --device sim:lab --kernel old,new --quiet --output bench.json >bench.txt || cat bench.txt
python3 "$here/made_names.py" gate.json 24 names.json

ASSAY=$assay "$here/dashboard.sh" "$modules" >dashboard.said 2>&1 & # beside the reports: it waits most of its time
dashboard=$!
passed=0 failed=0
for name in gate bench names; do
    shots=()
    [ -n "${ASSAY_PAGES_SHOTS:-}" ] && mkdir -p "$ASSAY_PAGES_SHOTS/$name" && shots=("$ASSAY_PAGES_SHOTS/$name")
    if "$assay" report $name.json --html --output $name.html && node "$here/check_page.mjs" "$modules" $name.html "${shots[@]}"; then
        passed=$((passed + 1))
    else
        echo "FAILED: the page of $name"
        failed=$((failed + 1))
    fi
done
wait $dashboard
code=$?
cat dashboard.said
case $code in
    0) passed=$((passed + 1)) ;;
    77) echo "SKIPPED: this assay has no 'serve', the dashboard in a browser" ;;
    *)
        failed=$((failed + 1))
        echo "FAILED: the dashboard"
        ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
