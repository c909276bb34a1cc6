# slow with sanitizers: others take its branches, most of them gate/rerun_count, sim/other_commands and calibrate/page
# A gate that the calibration refuses still runs the correctness matrix: a candidate that crashes there is a failure (1), a
# right one is undecidable (3), and no round is measured of either. Simulated kernels compute right, so a crash is the fault.
export XDG_CACHE_HOME=$PWD/cache
assay calibrate --device sim:drifting --only p0,p1 --quiet >/dev/null; echo "calibrate: $?"
for candidate in sim_crashing sim_slower5; do
    assay gate --device sim:drifting --baseline sim --candidate $candidate --only p0,p1 --output $candidate.json >out
    echo "$candidate: $?"
    grep -E '^(the candidate is wrong|not measured, since)' out
    grep -oE 'fails [0-9]+ of [0-9]+ problems of the correctness matrix|: 10/10 passed' out
    echo "refused: $(grep -c 'nothing was measured: a threshold of 3 %' out); rounds: $(grep -c '"round":' $candidate.json)"
done
