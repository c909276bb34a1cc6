# long: a measurement that does not count is repeated three times
# A device that is slowed down gives no numbers, in bench and gate, and the cause is named.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export FAKE_NVML=reasons=hw_thermal_slowdown+gpu_idle,temperature=88
ends_with 3 assay bench $small
says "INVALID"
says "the device was slowed down (hw_thermal_slowdown, 88 C)"
cat >assay.yaml <<Y
version: 1
limits: {gate_s: 20}
kernels:
  a: {operator: attention, backend: cuda, library: $kernel}
  b: {operator: attention, backend: cuda, library: $kernel}
Y
ends_with 3 assay gate --device cuda:0 --problem attention/fp32/b1/h2/s32/d32 --no-check --baseline a --candidate b \
    --measure-same --rounds 5 --iters 10
says "the device was slowed down (hw_thermal_slowdown, 88 C)"
exit $failed
