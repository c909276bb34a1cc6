# A study holds for gates with the same isolation: calibrate has the default of gate, and one of the other kind says nothing here.
export XDG_CACHE_HOME=$PWD/cache
study() { assay calibrate --device sim:promise --suite sim27 --only p0 --quiet "$@" >/dev/null; echo "calibrate $*: $?"; }
gate() {
    assay gate --device sim:promise --baseline sim --candidate sim --measure-same --suite sim27 --only p0 --no-check "$@" >out 2>&1
    echo "gate $*: $?, $(grep -c 'calibrated:' out) with a calibration"
}
study --isolation none
grep -o '"isolation": "[a-z]*"' cache/assay/calibrations/*.json
gate
gate --isolation none
study
grep -o '"isolation": "[a-z]*"' cache/assay/calibrations/*.json
gate
