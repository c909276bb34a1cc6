# Others leave hardly a sample for half a minute (of the device's time): no repetition is tried, the gate says so and ends. A little more than
# that, and each problem is tried until it is given up.
gate() { # $1: the share of the samples that wait for a processor
    printf 'version: 1\ndevices:\n  "sim:crowded": {noise: {cv_pct: 0.3, others_share_pct: 100, others_dwell_ms: 1000, others_wait_share_pct: %s, others_wait_us: 100000}}\n' \
        "$1" >assay.yaml
    assay gate --device sim:crowded --candidate sim --baseline sim --measure-same --no-check >out 2>err
    echo "$1 %: exit $?, $(grep -c 'measurements did not count: too many samples' out) problems with a reason"
    grep -oE '^note: ended early: in the last [0-9]+ measurements at most 3 of 20 samples of a side count' err
    grep -oE '^p0 .*invalid\)' out
    grep -cE "^- ended early" out || true
}
gate 99.5
gate 80
