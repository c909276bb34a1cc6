# slow with sanitizers: cuda/processes_unseen takes its branches
# Temperature, clocks, power and the energy of the window of a problem are in the result.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
FAKE_NVML=temperature=61,power=320,energy_step=7 ends_with 0 assay bench $small --iters 60
for part in '"temperature_c": 61' '"power_w": 320' '"memory_clock_hz": 3201000000' '"energy_j": ' '"throttle": "none"'; do
    grep -qF "$part" runs/*/result.json || complain "not in the result: $part"
done
exit $failed
