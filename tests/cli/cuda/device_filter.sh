# With --device only that device is listed, whichever way it is named; one that is not there is 69. That no ceilings were
# measured is said of each.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_FAKE_CUDA=devices=2
for name in cuda:1 GPU-fa4e0000-0000-0000-0000-000000000001; do
    ends_with 0 assay devices --device $name
    says "cuda:1  Fake GPU 1"
    says_not "cuda:0"
    says_not "SIMD"
    says_not "sim:"
done
grep -q 'ceilings  *not measured;' out || complain "nothing is said of ceilings"
ends_with 69 assay devices --device cuda:5
ends_with 0 assay devices --device cpu
says_not "cuda:0"
ends_with 0 assay devices --device sim:steady
[ "$(grep -c sim: out)" = 2 ] || complain "not one simulated device"
ends_with 0 assay list peers --device cpu
says "torch:flash"
says_not "torch:cudnn"
ends_with 0 assay list peers --device cuda:0 --json
python3 -c 'import json,sys; assert all("cuda" in p["backends"] and isinstance(p["backends"], list) for p in json.load(sys.stdin)["peers"])' <out || complain "backends are no list"
# A gate on a device that is not there says so before anything else.
printf 'version: 1\nkernels:\n  mine: {operator: attention, backend: cuda, library: %s}\n' "$kernel" >assay.yaml
for command in "gate --candidate mine --baseline mine --measure-same" "calibrate --kernel mine"; do
    ends_with 69 assay $command --device cuda:5 --problem attention/fp32/b1/h1/s32/d16
    says_not "against"
done
ends_with 0 assay bench --kernel mine --vs cudnn --lock-clocks base --dry-run --problem attention/fp32/b1/h1/s32/d16
says "not checked: whether cuda:0 is there"
says "not checked: whether the libraries of the peers are there"
says "not checked: whether its clocks can be held at 'base'"
# The fake's launches take a processor's time: what holds up one of a sample beside other tests makes its repetition look skipped.
for try in 1 2 3; do
    assay bench --kernel mine --problem attention/fp32/b1/h1/s32/d16 --iters 5 >out 2>err && break
done
[ $? = 0 ] || { complain "exit code of bench, three times"; cat out err; }
says "not measured: throughputs are not checked"
exit $failed
