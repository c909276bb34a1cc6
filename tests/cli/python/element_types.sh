# Types of kernel ABI 4 in Python: plain views of them, and a sentence where PyTorch lacks one.
. "$ASSAY_SOURCE/tests/cli/python/_project.sh"
cp "$ASSAY_SOURCE"/tests/cli/fuzz/_types/select_reference.c .
cat >assay.yaml <<'Y'
version: 1
operators:
  select:
    axes: {n: 40}
    inputs: {is_small: "bool[n]", small: "uint8[n] below(256)"}
    inout: {x: "int16[n] bits"}
    outputs: {low: "uint8[n]", is_negative: "bool[n]"}
    reference: select_reference.c
  scales:
    axes: {n: 40}
    inputs: {x: "e8m0[n]"}
    outputs: {y: "fp4_e2m1x2[n]"}
    reference: scales_reference.c
kernels:
  select: {operator: select, backend: cpu, python: "kern.types:select"}
  scales: {operator: scales, backend: cpu, python: "kern.types:scales"}
  scales_torch: {operator: scales, backend: cpu, python: "kern.types_torch:scales"}
Y
cat >scales_reference.c <<'C'
#include <assay/kernel.h>
#include <math.h>
static int launch(ASSAY_LAUNCH_ARGS) {
    for (int64_t i = 0; i < 40; ++i)
        ((uint8_t *)tensors->items[1].data)[i] = (uint8_t)(128 + ilogb(((double *)tensors->items[0].data)[i]));
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "scales_reference", .op = "scales", .backend = "cpu", .launch = launch)
C
cat >kern/types.py <<'P'
def select(problem, inputs, outputs, stream):
    is_small, small = inputs.is_small.memory(), inputs.small.memory()
    x, low, is_negative = outputs.x.memory().cast("h"), outputs.low.memory(), outputs.is_negative.memory()
    for i in range(problem.n):
        x[i] = small[i] if is_small[i] else x[i]
        low[i], is_negative[i] = x[i] & 255, x[i] < 0


def scales(problem, inputs, outputs, stream):
    for i, scale in enumerate(inputs.x.memory()):
        outputs.y.memory()[i] = scale + 1 & 255
P
printf 'import torch\n\n\ndef scales(problem, inputs, outputs, stream):\n    pass\n' >kern/types_torch.py
export PYTHONPATH=$ASSAY_SOURCE/tests/cli/python/_fake
for name in select scales scales_torch; do
    assay fuzz --kernel $name --problem ${name%_torch} --seed 42 | grep -v results:
    echo "$name: exit ${PIPESTATUS[0]}"
done
