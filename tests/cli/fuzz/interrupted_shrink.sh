# Ctrl-C while a smaller problem is looked for: 130, and no smaller problem is claimed.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project
in_each_launch 'if (job.q->shape[2] == 33) abort(); pause();' stdlib.h unistd.h
set -m
assay fuzz --kernel mine --suite tiny >out 2>err &
pid=$!
set +m
wait_until sh -c "grep -q '\"outcome\": \"CRASHED\"' runs/*/result.json"
sleep 0.5
kill -INT $pid; wait $pid; echo "exit $?"
grep -c "smallest problem" out
sed 's/[0-9]*-[0-9]*-fuzz-[0-9a-f]*/ID/; s|'"'.*/runs|'runs|" err
no_workers
