# slow with sanitizers
# Kernels that are right when checked but do less when timed are detected on a GPU too, by events and in virtual time: 8 us a
# launch, 0.6 us for a launch that computes nothing. An honest kernel passes.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_FAKE_CUDA=l2_kib=64,call_ns=600
measure() { # MODE EXIT OPTIONS...
    local mode=$1 code=$2
    shift 2
    ASSAY_FAKE_ATTENTION=$mode@16 ends_with $code assay bench --device cuda:0 --module $kernel --iters 10 "$@" \
        --problem attention/fp32/b1/h2/s16/d16
}
measure honest 0
measure honest 0 --cache warm
measure honest 0 --cache cold
measure by_address 1
grep -qE "a timed launch (on data that it had not seen before gave something else|gave results of other inputs)" out ||
    complain "by_address: not found" # by whichever draw comes first
measure by_content 1
says "results are cached by the content of the inputs"
measure by_content 1 --cache warm
says "results are cached by the content of the inputs"
for mode in skip_repeats skip_half; do
    for cache in rotate warm; do
        measure $mode 1 --cache $cache # by what it skips, or, since it looks at its inputs for that, as results that are kept
        grep -qE "repeated (launches|ones) are skipped|results are cached by the content" out err || complain "$mode, $cache: not found"
    done
done
# Two launches in the time of one: each is right and writes its outputs, and only inputs that come between them tell.
# The place where inputs come late is drawn, and before the first of two it tells nothing.
ASSAY_FAKE_ATTENTION=ahead@16 found_within 20 0 assay bench --device cuda:0 --module $kernel --iters 10 \
    --problem attention/fp32/b1/h2/s16/d16
says "stale: right when checked, but a timed launch gave results of other inputs than those that were written right before it"
# Right in a third of the rows, among them those that were checked: rows are drawn anew in every run, and a run may miss it.
ASSAY_FAKE_ATTENTION=wrong_rows@96 found_within 6 0 assay bench --device cuda:0 --module $kernel --iters 10 \
    --problem attention/fp32/b1/h2/s96/d16
says "stale: right "
# 256 KiB in 5 ns, out of more sets than the cache holds
ASSAY_FAKE_CUDA=l2_kib=64,call_ns=5 ends_with 1 assay bench --device cuda:0 --module $kernel --iters 3 --sample-time 1us \
    --problem attention/fp32/b1/h8/s32/d64
says "ns per launch is impossible"
# More sets than there are would be needed: that is said.
ASSAY_FAKE_CUDA=l2_kib=8192,call_ns=20000 ends_with 0 assay bench --device cuda:0 --module $kernel --iters 5 \
    --problem attention/fp32/b1/h2/s32/d16
says "64 sets of buffers cover 1.0 MiB, less than twice the cache of 8.0 MiB"
exit $failed
