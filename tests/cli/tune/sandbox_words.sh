# `assay confined`: a stop, of itself or of its program, is not the end of the time; equal paths count once, and too many are told as such.
mkdir out && cd out || exit
assay confined "$PWD" seconds=300 -- sh -c ': >started; until [ -e go ]; do sleep 0.1; done; echo "the program has ended"' 2>../said &
pid=$!
until [ -e started ] || ! [ -e /proc/$pid ]; do sleep 0.05; done
kill -STOP $pid; kill -CONT $pid
child=$(cat /proc/$pid/task/$pid/children)
kill -STOP $child; kill -CONT $child
: >go
wait $pid; echo "exit $?"
cat ../said
# shellcheck disable=SC2046
assay confined "$PWD" $(for _ in $(seq 80); do echo "$PWD"; done) -- true; echo "exit $?"
# shellcheck disable=SC2046
assay confined "$PWD" $(seq -f /nowhere/%g 65) -- true 2>&1; echo "exit $?"
