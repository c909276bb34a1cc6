# slow with sanitizers: cuda/processes_unseen and bad_input/sample_text take its branches
# A power cap and heat are reported with the numbers, which still count.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=reasons=sw_power_cap ends_with 0 assay bench $small
says "the device's clock was limited while measuring 1 of 1 problems: sw_power_cap"
says_not "above 80 C"
FAKE_NVML=temperature=85 ends_with 0 assay bench $small
says "the device reached 85 C, above 80 C, in 1 of 1 problems"
FAKE_NVML=temperature=80 ends_with 0 assay bench $small
says_not "above 80 C"
exit $failed
