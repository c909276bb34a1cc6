# What a GPU is, how it is set up, and what its sensors say, for people.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export FAKE_NVML=temperature=61,clock=1755,power=320,ecc_errors=1,persistence=0,processes=2,reasons=sw_power_cap
ends_with 0 assay devices
while IFS= read -r line; do
    grep -qE "^ *$line" out || { complain "no line: $line"; }
done <<'LINES'
cuda:0  Fake GPU 0$
architecture +sm_90$
multiprocessors +4$
driver +580.159.04, CUDA 13.0$
clock +1755 MHz now, base 1500 MHz, highest 1980 MHz$
memory clock +3201 MHz now, highest 3201 MHz$
power +320 W$
power limit +700 W \(200 to 700 W can be set\)$
temperature +61 C$
clock limited by +sw_power_cap$
ECC +on, 1 uncorrected error since the driver was loaded$
MIG +off$
persistence +off$
other processes +2$
uuid +GPU-
LINES
[ $failed = 0 ] || cat out
exit $failed
