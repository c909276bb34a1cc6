# The card, its UUID, driver, clocks and limits as a document.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export FAKE_NVML=temperature=61,power_limit=650
ends_with 0 assay devices --json
for part in '"backend": "cuda"' '"device": "cuda:0"' '"name": "Fake GPU 0"' '"uuid": "GPU-fa4e' '"isa": "sm_90"' \
    '"driver": "580.159.04, CUDA 13.0"' '"sm_count": 4' '"clock_base_hz": 1500000000' '"clock_max_hz": 1980000000' \
    '"memory_clock_max_hz": 3201000000' '"power_limit_w": 650' '"power_limit_min_w": 200' '"power_limit_max_w": 700' \
    '"ecc": "on"' '"mig": "off"' '"persistence": "on"' '"ecc_uncorrected_count": 0' '"temperature_c": 61' \
    '"throttle": "none"' '"other_process_count": 0'; do
    says "$part"
done
exit $failed
