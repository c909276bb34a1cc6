# slow
# A gate that is stopped (kill -STOP) while a kernel is checked, or timed: within seconds its worker and the kernels' processes are
# gone. When it goes on, what was in flight is done again and the report says why; no kernel is blamed for the time that passed.
cat >assay.yaml <<'Y'
version: 1
suites: {tiny: {from: sim, only: [p0]}}
kernels:
  honest: {operator: scale, backend: sim, sim: {}}
  in_check: {operator: scale, backend: sim, sim: {hang_at_launch: 2}}
  in_round: {operator: scale, backend: sim, sim: {hang_at_launch: 1000}}
gate: {suite: tiny, check: tiny}
limits: {case_s: 11}
Y
processes() { # of the gate in this folder
    local pid
    for pid in $(pgrep -f 'assay (worker|host)'); do
        [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && echo "$pid"
    done
}
run() { # kernel, seconds that it is stopped at least
    mkdir "$1" && cd "$1" || exit 70
    XDG_CACHE_HOME=$PWD/cache assay gate --manifest ../assay.yaml --output-dir runs --device sim:steady --candidate "$1" --baseline honest >out 2>&1 &
    local gate=$! state="" before="" left="" from
    for _ in $(seq 300); do # the host that does not answer sleeps; the others are stopped, or work
        sleep 0.2
        for pid in $(processes); do
            state=$(cut -d' ' -f3 "/proc/$pid/stat" 2>/dev/null)
            [ "$state" = S ] && grep -q host "/proc/$pid/cmdline" && [ "$pid" = "$before" ] && break 2
            [ "$state" = S ] && grep -q host "/proc/$pid/cmdline" && before=$pid
        done
    done
    sleep 1.2
    kill -STOP $gate
    from=$SECONDS
    for _ in $(seq 600); do
        [ -z "$(processes)" ] && break
        sleep 0.1
    done
    left=$(processes)
    echo "$1: ${left:+left behind: $left}${left:-gone while the gate was stopped}"
    while [ $((SECONDS - from)) -lt "$2" ]; do sleep 0.1; done
    kill -CONT $gate
    wait $gate
    echo "$1: exit $?"
    grep -E 'CRASHED|TIMEOUT' out
    grep 'was stopped' out
    cd ..
}
run in_check 7 >in_check.said 2>&1 &
run in_round 13 >in_round.said 2>&1 & # longer than the kernel's own limit
wait
cat in_check.said in_round.said
