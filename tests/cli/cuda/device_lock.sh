# A GPU's lock has the name of its UUID, whatever it is called, and each GPU has its own; the processor's is another one.
export XDG_CACHE_HOME=$PWD/cache # ceilings are kept there
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
ends_with 0 assay bench $small
lock=$(ls "$ASSAY_LOCKS")
case $lock in assay-GPU-*.lock) ;; *) complain "locks: $lock" ;; esac
uuid=${lock#assay-}
uuid=${uuid%.lock}
assay devices | grep -q "uuid *$uuid" || complain "no device has the UUID $uuid"
flock --close "$ASSAY_LOCKS/$lock" sleep 600 &
holder=$!
until ! flock --nonblock "$ASSAY_LOCKS/$lock" true; do sleep 0.02; done
ends_with 75 assay bench $small --no-wait
grep -q 'another assay measures on cuda:0 (bench, pid [0-9]*, since [0-9:]*): try again later' err || complain "$(cat err)"
ends_with 75 assay bench ${small/cuda:0/$uuid} --no-wait
ends_with 0 assay fuzz --device cuda:0 --module "$kernel" --problem attention/fp32/b1/h2/s96/d32
assay bench --kernel naive --device cpu --problem attention/fp32/b1/h1/s16/d16 --iters 5 --no-wait --quiet >out 2>err
[ $? != 75 ] || complain "the processor is not free"
(assay devices --device cuda:0 --ceilings >listed 2>said; echo $? >code) &
until grep -q 'another assay measures on cuda:0 .*: waiting' said; do sleep 0.05; done
pkill -P $holder
wait
[ "$(cat code)" = 0 ] || complain "ceilings: $(cat code said)"
exit $failed
