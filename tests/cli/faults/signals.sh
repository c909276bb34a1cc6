# Ctrl-C, SIGTERM and a closed terminal (SIGHUP) in the middle of a run: 130, how to go on, nobody left behind, and it goes on.
# Under nohup SIGHUP changes nothing.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
hup=--default-signal=HUP # this test may run under nohup itself
start() {
    rm -rf runs
    env $hup assay run cpu --only s512 --kernel naive --iters 20000 --sample-time 1ms --quiet >out 2>err &
    pid=$!
    wait_until sh -c "grep -q '\"kind\":\"case\"' runs/*/journal.jsonl"
}
for signal in INT TERM HUP; do
    set -m; start; set +m # a background job of its own would ignore SIGINT
    kill -$signal $pid; wait $pid; echo "$signal: $?"
    sed 's/[0-9]*-[0-9]*-run-[0-9a-f]*/ID/' err
    no_workers
done
(trap '' HUP; hup=; start; kill -HUP $pid; sleep 0.5; kill -0 $pid && echo "under nohup it goes on"; kill -TERM $pid; wait $pid; echo "TERM: $?")
no_workers
exit 0
