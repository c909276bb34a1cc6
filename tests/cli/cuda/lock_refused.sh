# If NVML refuses to lock clocks, the command ends before anything is measured, with NVML's words and what to run.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=lock=refuse:no_permission ends_with 69 assay bench $small --lock-clocks 1500
says "Insufficient Permissions"
says "-lgc 1500,1500"
says "nothing was measured"
log_becomes "lock 1500 1500 refused"
rm nvml.log
FAKE_NVML=lock=refuse:not_supported ends_with 69 assay calibrate $small --lock-clocks 1500 --rounds 5
says "Not Supported"
FAKE_NVML=disobey=1 ends_with 69 assay run ci --device cuda:0 --module "$kernel" --only s128 --lock-clocks base
says "still runs at 1980 MHz; it was undone"
rm nvml.log
ends_with 69 assay bench $small --lock-clocks 1501
says "the clocks next to it are 1500 and 1515 MHz"
ends_with 69 assay bench $small --lock-clocks 3000
says "it can be held at 345 to 1980 MHz"
FAKE_NVML=clock_base=not_supported ends_with 69 assay bench $small --lock-clocks base
says "give a number of MHz"
ASSAY_NVML=/no/such/libnvidia-ml.so ends_with 69 assay bench $small --lock-clocks base
[ ! -e nvml.log ] || complain "clocks were touched"
[ ! -e runs ] || [ -z "$(find runs -name result.json)" ] || complain "something was measured"
ends_with 64 assay bench $small --lock-clocks fast
ends_with 64 assay bench --device cpu --kernel naive --lock-clocks base
says "is for GPUs"
ends_with 64 assay bench --device sim:steady --lock-clocks base
says "is for GPUs"
exit $failed
