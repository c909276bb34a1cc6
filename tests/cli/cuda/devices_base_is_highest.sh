# The default applications clock of some cards is the highest: holding "base" there holds the highest, and the list says so.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=clock_base=1980 ends_with 0 assay devices
says "base 1980 MHz (as the highest)"
exit $failed
