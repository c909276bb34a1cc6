# Nothing is kept with --no-store, or where the manifest says so; a calibration is kept as every measurement.
unset ASSAY_STORE
failed=0
complain() { echo "$1"; failed=1; }
if assay history --store none.db 2>&1 | grep -q "built without a store"; then echo "SKIPPED: this assay was built without a store"; exit 0; fi
printf 'version: 1\nkernels: {}\n' >assay.yaml
bench() { report_of bench --device sim:steady --kernel sim "$@" >out 2>err || complain "the bench failed: $(cat err)"; }
bench --no-store
[ -s err ] && complain "--no-store printed something: $(cat err)"
[ -e .assay ] && complain "--no-store: there is a store"
assay calibrate --device sim:steady --kernel sim --rounds 5 --quiet --no-store >/dev/null 2>&1
[ -e .assay ] && complain "calibrate --no-store: there is a store"
report_of calibrate --device sim:steady --kernel sim --rounds 5 >out 2>err; code=$?
[ -s err ] && complain "keeping a calibration printed something: $(cat err)"
assay history --json | grep -q '"command": "assay calibrate' || complain "a calibration is not kept"
rm -rf .assay; echo "no folder" >.assay
report_of calibrate --device sim:steady --kernel sim --rounds 5 >out 2>err; [ $? = $code ] || complain "a store that cannot be made changed the exit code"
[ "$(grep -c "warning: this run is not in the history" err)" = 1 ] || complain "not one warning: $(cat err)"
rm .assay
printf 'version: 1\nkernels: {}\nstore: none\n' >assay.yaml
bench
[ -e .assay ] && complain "store: none: there is a store"
assay history 2>err; [ $? = 64 ] || complain "no store: not 64"
grep -q "says 'none'; --store FILE|ADDRESS names one" err || complain "not said: --store"
printf 'version: 1\nkernels: {}\nstore: mine.db\n' >assay.yaml
assay bench --device sim:steady --kernel sim 2>err; [ $? = 78 ] || complain "another store in the manifest: not 78"
grep -q "store: is none or an address, postgresql://HOST/NAME, not 'mine.db'" err || complain "not said what store takes: $(cat err)"
exit $failed
