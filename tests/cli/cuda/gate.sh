# A gate on a GPU, whole: checks, rounds of fresh workers, graph replays, the verdict.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: attention, backend: cuda, library: $kernel}
suites:
  s: {problems: {a: attention/fp32/b1/h1/s32/d16, b: attention/fp16/b1/h1/s32/d32}}
gate: {suite: s, check: s, candidate: mine}
Y
export ASSAY_FAKE_CUDA=l2_kib=64,call_ns=20000
ends_with 0 assay gate --isolation none --device cuda:0 --candidate mine --baseline mine --measure-same
says "maintained: no change seen"
says "Fake GPU 0 (cuda:0)"
says "naive on the processor"
ASSAY_FAKE_CUDA=l2_kib=64,call_ns=20000,late_us=200 ends_with 1 assay bench --device cuda:0 --kernel mine --suite s --iters 10
says "late_work"
exit $failed
