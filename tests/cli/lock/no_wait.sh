# --no-wait ends with 75 where another assay has the device: every command that measures, and none that does not.
. "$ASSAY_SOURCE/tests/cli/lock/_holder.sh"
export TZ=UTC
wrong_project
mkdir tiled && cp -r "$ASSAY_SOURCE"/kernels/attention "$ASSAY_SOURCE"/kernels/common tiled/
sed -i '/^kernels:/a\  tiled: {operator: attention, backend: cpu, source: tiled/attention/tiled.c, flags: [-Itiled]}' assay.yaml
assay baseline set --kernel naive --problem attention/fp32/b1/h1/s16/d8 --output base.json --iters 5 --rounds 1 --quiet >/dev/null 2>&1
git commit -qam wrong
hold_lock "4711 gate 1764417780
"
try() {
    "$@" >out 2>err
    code=$?
    [ "${wanted:-75}" = $code ] || { echo "$*: $code"; cat err; }
}
try assay gate --baseline git:HEAD~1 --no-wait
cat err
try assay gate --baseline git:HEAD~1 --no-wait --json
cat out
try assay gate --all --baseline git:HEAD~1 --no-wait
for command in "bench --kernel mine" "run pr" calibrate "bisect HEAD~1..HEAD" "profile --suite pr --only a" "tune --kernel tiled"; do
    try assay $command --no-wait
done
try assay baseline set --kernel mine --output new.json --no-wait
try assay baseline check base.json --no-wait
wanted=64 try assay fuzz --kernel naive --no-wait
wanted=0
try assay fuzz --kernel naive --problem attention/fp32/b1/h1/s16/d8
try assay gate --baseline git:HEAD --no-wait # equal machine code: nothing runs
try assay gate --baseline git:HEAD~1 --no-wait --dry-run
try assay gate --device sim:steady --candidate sim --baseline sim --measure-same --no-wait
wanted=1 ASSAY_LOCKS=none try assay gate --baseline git:HEAD~1 $short --no-wait
wanted=1 ASSAY_LOCK_HELD=cuda,cpu try assay gate --baseline git:HEAD~1 $short --no-wait # of one that waits for this one
ls runs | grep -c gate # nothing is left of those that did not wait: equal code, sim, and the last two
let_go
wanted=1 try assay gate --baseline git:HEAD~1 $short --no-wait
