# slow: processes are waited for
# Kernels in Python on a GPU (the fake driver, a stand-in for PyTorch) in processes of their own: what they write and what they
# return is checked and timed, and the judge's clock confirms it. Work that is left for when results are brought to the outputs is
# not done: the copies that bring them are captured with the launches.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake ASSAY_FAKE_CUDA=l2_kib=1,real_us=400
cat >assay.yaml <<'Y'
version: 1
kernels:
  writes: {operator: attention, backend: cuda, python: "kern.on_gpu:writes"}
  returns: {operator: attention, backend: cuda, python: "kern.on_gpu:returns"}
  late: {operator: attention, backend: cuda, python: "kern.on_gpu:computes_when_collected"}
suites: {tiny: {problems: {a: attention/fp32/b1/h1/s2/d4}}}
Y
gpu="--device cuda:0 --suite tiny"
for kernel in writes returns; do
    ends_with 0 assay fuzz $gpu --kernel $kernel
    says "1/1 $kernel"
    # Timed, and judged by two clocks. The machine may be too busy for the figures to count (3).
    rm -rf runs
    assay bench $gpu --kernel $kernel --isolation process --iters 20 --sample-time 1ms >out 2>err
    code=$?
    [ $code = 0 ] || [ $code = 3 ] || { complain "exit code $code of a right kernel"; cat out err; }
    says_not "FAIL"
    grep -q '"judge_ns"' runs/*/journal.jsonl || complain "no sample has the judge's clock"
done
ends_with 1 assay bench $gpu --kernel late --isolation process --iters 20 --sample-time 1ms
says "stale: right when checked, but a timed launch did not write 'out'"
exit $failed
