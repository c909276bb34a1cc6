# A GPU counts what a launch executes: the same kernel 0.0 %, one with 5 % more is a regression; nothing is timed. What cannot be
# counted is said, and costs no crash.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
export ASSAY_CUPTI=$fakes/libfake_cupti.so FAKE_CUPTI=functions=3
[ -e "$ASSAY_CUPTI" ] || { echo "SKIPPED: $ASSAY_CUPTI is not built"; exit 0; }
cat >assay.yaml <<Y
version: 1
kernels:
  mine: {operator: attention, backend: cuda, library: $kernel}
  other: {operator: attention, backend: cuda, library: $fakes/libfake_cuda_honest.so}
suites:
  s: {problems: {a: attention/fp32/b1/h1/s32/d16}}
gate: {suite: s, check: s, candidate: mine}
Y
gate() { assay gate --isolation none --device cuda:0 --baseline mine "$@"; }
for metric in instructions matrix_instructions dram_bytes; do
    ends_with 0 gate --candidate mine --measure-same --metric $metric
    says "maintained: no change seen"
    says "$metric: counted by the GPU"
done
FAKE_CUPTI=functions=3,more=fake_kernel_is_honest ends_with 1 gate --candidate other --metric instructions
says "5.0 % slower"
says "no proof against code that wants to deceive"
FAKE_CUPTI=functions=3,more=fake_kernel_is_honest ends_with 1 gate --candidate other --metric dram_bytes
FAKE_CUPTI=fail=start:35 ends_with 3 gate --candidate other --metric instructions
says "the instructions of 'other' were not counted"
says "run as root or with CAP_SYS_ADMIN"
ends_with 64 assay gate --device cuda:0 --baseline mine --candidate other --metric instructions
says "a GPU's counters cannot be read in the sandbox: metric instructions needs --isolation none"
ends_with 64 assay gate --device cpu --isolation none --baseline naive --candidate naive --metric dram_bytes
says "dram_bytes are counted on a GPU only"
exit $failed
