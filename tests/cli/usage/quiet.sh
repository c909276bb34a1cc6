# --quiet: one line at the end, the verdict, nothing on standard error, and the exit code of the whole report. All commands alike.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/formats PYTHONDONTWRITEBYTECODE=1 XDG_CACHE_HOME=$PWD/cache
sim_project
try() { # the command, as it is and with --quiet
    assay "$@" >whole 2>/dev/null; whole=$?
    rm -rf runs cache/assay/gates cache/assay/calibrations # else a gate is a rerun, and a study pools with the one before it
    assay "$@" --quiet >line 2>err; quiet=$?
    rm -rf cache/assay/gates cache/assay/calibrations
    [ $whole = $quiet ] || echo "exit $whole, with --quiet $quiet"
    [ -s err ] && sed 's/^/standard error: /' err
    [ "$(wc -l <line)" = 1 ] || echo "$(wc -l <line) lines"
    [ "$(wc -l <whole)" -gt 1 ] || echo "one line without --quiet, too"
    printf '%s (%s): ' "$1" $quiet; cat line
}
try gate --device sim:steady --baseline git:HEAD
try gate --device sim:steady --all --baseline git:HEAD
try gate --device sim:steady --suite sim --only p0,p1 --no-check --candidate sim_slower5 --baseline sim
try bench --device sim:steady --suite sim --only p0 --kernel sim
try bench --device sim:steady --suite sim --only p0,p1 --kernel sim_slower5 --vs sim
try run sim --device sim:steady --only p0 --kernel sim
try fuzz --device sim:steady --suite tiny --kernel mine
try fuzz --device sim:steady --suite sim --only p0 --kernel sim_crashing
try fuzz --audit --problem scale/fp32/n16
try baseline set --device sim:steady --suite sim --only p0 --kernel sim --rounds 2 --output base.json
try baseline check base.json --device sim:steady --kernel sim
try calibrate --device sim:steady --suite sim --only p0 --kernel sim
python3 -c '
from _google import *
good = [100 + 0.1 * ((i * 7) % 20) for i in range(20)]
write("a.json", rows("f", good)); write("b.json", rows("f", [t * 1.1 for t in good]))'
try compare a.json b.json
try report base.json
git add assay.yaml && git tag good && sed -i 's/base_us: 100/base_us: 108/' assay.yaml && git commit -qam slower && git tag bad
try bisect good..bad --device sim:steady --problem scale/fp32/n64 | sed -E 's/[0-9a-f]{10}/COMMIT/; s/[0-9.]+ %/N %/g'
sed -i 's/sim: {base_us: 108}/sim: {base_us: 100}, tune: {values: {A: [1, 2]}, effects: [{when: {A: 2}, sim: {slower_pct: -20}}]}/' assay.yaml
try tune --kernel mine --device sim:steady --suite pr --strategy exhaustive | sed -E 's/[0-9.]+x/Nx/g'
echo "--json stays a document: $(assay compare a.json b.json --json --quiet | python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"])')"
