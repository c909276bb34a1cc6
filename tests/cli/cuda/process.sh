# slow: every problem in several processes
# Kernels of a GPU in processes of their own: what a kernel does wrong is found as in one process, what the device has to
# offer is asked first, and inputs, which a host can write there, are looked at while it is timed.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_FAKE_CUDA=l2_kib=64
apart="--isolation process --device cuda:0 --module $kernel"
ends_with 0 assay fuzz $apart --problem attention/fp16/b1/h2/s48/d32
says "1/1 libfake_cuda_attention.so"
# wrong MODE SENTENCE
wrong() {
    ASSAY_FAKE_ATTENTION=$1@48 ends_with 1 assay fuzz $apart --problem attention/fp16/b1/h2/s48/d32
    says "$2"
}
wrong past_end "out_of_bounds: the kernel wrote 3 bytes past the end of 'out'"
wrong before_start "out_of_bounds: the kernel wrote 2 bytes before the start of 'out'"
wrong input "input_changed: input 'k' was changed by the launch"
wrong row "unwritten: 32 of 3072 elements of 'out' were never written, first [0][1][47][0]"
wrong legacy "late_work: "
wrong refuse "launch_failed: launch 1 returned ASSAY_FAILED (3): the plan does not fit"
wrong limit "launch_failed: prepare changed the part of the L2 for persisting accesses from 0 to 1048576 bytes: a limit of the context"
# A launch that breaks its process's context ends that process only: the judge goes on with the next problem.
printf 'version: 1\nsuites:\n  s: {problems: {a: attention/fp32/b1/h1/s32/d16, b: attention/fp32/b1/h1/s48/d16, c: attention/fp32/b1/h1/s64/d16}}\n' >assay.yaml
ASSAY_FAKE_ATTENTION=fault:700@48 ends_with 1 assay fuzz $apart --suite s
says "out_of_bounds: a launch broke the device for its process: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
says "2/3 libfake_cuda_attention.so: 1 failed"
# The judge's clock is real, so the events' are too. What they say does not matter here: this machine may be busy. A launch lasts much
# longer than it computes and than copies between launches take, which are at a processor's speed here.
export ASSAY_FAKE_CUDA=l2_kib=64,real_us=1000
# timed MODE SENTENCE...: found while it is timed
timed() {
    local mode=$1 sentence
    shift
    ASSAY_FAKE_ATTENTION=$mode@48 ends_with 1 assay bench $apart --problem attention/fp16/b1/h2/s48/d32 --iters 20
    for sentence in "$@"; do says "$sentence"; done
}
timed worn:719 "launch_failed: a launch broke the device for its process"
timed worn_input "input_changed: "
timed false_events "false_clock: its process says that samples take"
timed sync "launch cannot be captured into a graph"
# Inputs that come late are kept and brought in the kernel's process; their place is drawn.
ASSAY_FAKE_ATTENTION=ahead@48 found_within 10 '[03]' assay bench $apart --problem attention/fp16/b1/h2/s48/d32 --iters 20
says "that were written right before it: it is computed ahead of its time"
# Timed, and judged by two clocks. The machine may be too busy for the figures to count (3).
assay bench $apart --problem attention/fp16/b1/h2/s48/d32 --iters 20 --output result.json >out 2>err
code=$?
[ $code = 0 ] || [ $code = 3 ] || { complain "exit code $code of a right kernel"; cat out err; }
says_not "FAIL"
grep -q '"judge_ns"' runs/*/journal.jsonl || complain "no sample has the judge's clock"
# Two sides: what the one does to inputs that both read is not blamed on the other, whichever runs first.
cat >two.yaml <<Y
version: 1
kernels:
  bad: {operator: attention, backend: cuda, library: $kernel}
  good: {operator: attention, backend: cuda, library: $fakes/libfake_cuda_honest.so}
suites:
  s: {problems: {a: attention/fp16/b1/h2/s48/d32}}
Y
for tried in worn_input:0=bad,good worn_input:0=good,bad input:0=good,bad worn:719=bad,good; do
    ASSAY_FAKE_ATTENTION=${tried%=*}@48 ends_with 1 assay bench --manifest two.yaml --isolation process --device cuda:0 \
        --kernel ${tried#*=} --suite s --iters 20
    says "bad: 0/1 passed, 1 failed"
    says "good: 1/1 passed"
done
# Its own processes are no others, whatever the driver calls them.
says_not "other process"
# What the device has to offer.
ASSAY_FAKE_CUDA=compute_mode=3 ends_with 69 assay fuzz $apart --problem attention/fp16/b1/h2/s48/d32
says "cuda:0 is in compute mode 'Exclusive_Process', which gives it to one process"
says "use --isolation none"
ASSAY_FAKE_CUDA=shares=nothing ends_with 69 assay fuzz $apart --problem attention/fp16/b1/h2/s48/d32
says "cannot share memory between processes by descriptor"
exit $failed
