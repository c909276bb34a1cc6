# A holder that is killed, its workers with it, releases the lock at once: who waits goes on. What the file says of it stays and means nothing.
tiny=attention/fp32/b1/h1/s16/d8
lock=$ASSAY_LOCKS/assay-cpu.lock
assay bench --kernel naive --device cpu --problem $tiny --rounds 900 --quiet >first 2>&1 &
first=$!
until grep -qs "^$first bench " "$lock"; do sleep 0.05; done
assay bench --kernel naive --device cpu --problem $tiny --iters 5 >second.out 2>second.err &
second=$!
until grep -q waiting second.err; do sleep 0.05; done
sed "s/pid $first/pid FIRST/; s/since [0-9:]*/since TIME/" second.err
sleep 1
kill -0 $second && echo "it waits"
kill -9 $first
wait $first 2>/dev/null
timeout 120 tail --pid=$second -f /dev/null
wait $second
code=$?
[ $code = 0 ] || [ $code = 3 ] && echo "it measured" || echo "exit $code"
grep -q "^$second bench " "$lock" && echo "the file says who had it"
assay bench --kernel naive --device cpu --problem $tiny --iters 5 --no-wait --quiet >/dev/null 2>third.err
code=$?
[ $code = 0 ] || [ $code = 3 ] && echo "it is free"
cat third.err
