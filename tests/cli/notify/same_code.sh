# A regression that a gate told, then the baseline's machine code, which is not measured, then a regression: that is told again.
. "$ASSAY_SOURCE/tests/cli/notify/_notify.sh"
notify_by '{webhook: json}'
gate() { # WHAT BASE_US
    sed -i "s/base_us: [0-9]*/base_us: $2/" assay.yaml
    sim_gate --no-check >>../report.txt 2>>../err.txt
    got "$1: exit $?"
}
gate "slower" 108
gate "the baseline's code" 100
gate "slower again" 106
grep -v busy ../err.txt || true
