# slow: a measurement that does not count is repeated three times
# A device that is slowed down gives no numbers, in bench and gate, and the cause is named.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export FAKE_NVML=reasons=hw_thermal_slowdown+gpu_idle,temperature=88
ends_with 3 assay bench $small
says "INVALID"
says "the device was slowed down (hw_thermal_slowdown, 88 C)"
ends_with 3 assay gate $small --no-check --baseline naive --candidate naive
exit $failed
