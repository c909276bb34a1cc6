# slow with sanitizers
# Ceilings of a GPU are measured, listed as a table and as JSON, and used by a run on the same driver and power limit, which says
# their age; another power limit or driver leaves them unused and says so.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export XDG_CACHE_HOME=$PWD/cache
ends_with 0 assay devices --device cuda:0
says "not measured; 'assay devices --ceilings' does"
ends_with 0 assay devices --device cuda:0 --ceilings
grep -Eq '^ +bf16 matrix +7[0-9]{5} +GFLOP/s +cool +1500 MHz +20[0-9-]+T[0-9:]+Z +wgmma' out || complain "no row of bf16: $(cat out)"
grep -Eq '^ +copy +(1[89]|20)[0-9]{2} +GB/s +sustained' out || complain "no row of copy"
[ "$(grep -c ' sustained ' out)" = 9 ] || complain "not nine kinds"
ends_with 0 assay devices --device cuda:0 --json
python3 -c '
import json
found = json.load(open("out"))["devices"][0]["ceilings"]
assert len(found) == 18 and {item["power_mode"] for item in found} == {"cool", "sustained"}
assert all(item["value"] > 0 and abs(item["clock_hz"] / 1.5e9 - 1) < 1e-3 for item in found)
' || complain "the JSON is not what was measured"
ends_with 0 assay bench $small --output run.json
grep -Eq "^ceilings +fp32 FMA 50.0 TFLOP/s at 1500 MHz, read 2.00 TB/s; measured right before the run" out ||
    complain "the report lacks the ceilings"
says "% of ceiling"
python3 -c '
import json
environment = json.load(open("run.json"))["environment"]
assert environment["power_limit_w"] == 700 and len(environment["ceilings"]) == 9
assert all(item["power_mode"] == "cool" for item in environment["ceilings"])
' || complain "the result lacks its ceilings"
export FAKE_NVML=power_limit=500
ends_with 0 assay devices --device cuda:0
says "another driver or power limit only"
ends_with 0 assay bench $small
says "not measured: throughputs are not checked"
exit $failed
