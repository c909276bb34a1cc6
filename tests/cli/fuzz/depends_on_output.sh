# An element that holds the poison after a launch: it was never written, or it was computed from what it held. In every type that has a NaN.
cat >kernel.h <<'C'
#include <assay/kernel.h>
static int launch(ASSAY_LAUNCH_ARGS) {
    const struct assay_tensor *x = assay_tensor_named(tensors, "x"), *y = assay_tensor_named(tensors, "y");
    const float factor = (float)assay_problem_get(state, "factor");
    (void)workspace, (void)stream;
    for (int64_t i = 0; i < x->shape[0]; ++i) {
        if (x->dtype == ASSAY_FP32) STORE(float);
        if (x->dtype == ASSAY_FP16) STORE(_Float16);
    }
    return ASSAY_OK;
}
ASSAY_KERNEL(.name = "tail", .op = "scale", .backend = "cpu", .launch = launch, .dtypes = ASSAY_BIT(ASSAY_FP32) | ASSAY_BIT(ASSAY_FP16))
C
printf '#define STORE(t) ((t *)y->data)[i] = (t)(factor * (float)((t *)x->data)[i] + (i > 5 ? 0 * (float)((t *)y->data)[i] : 0))\n#include "kernel.h"\n' >beta.c
printf '#define STORE(t) if (i < 6) ((t *)y->data)[i] = (t)(factor * (float)((t *)x->data)[i])\n#include "kernel.h"\n' >left.c
printf 'version: 1\nkernels:\n  beta: {operator: scale, backend: cpu, source: beta.c}\n  left: {operator: scale, backend: cpu, source: left.c}\n' >assay.yaml
for kernel in beta left; do
    for type in fp32 fp16; do
        assay fuzz --kernel $kernel --problem scale/$type/n9 >out
        echo "$kernel $type: exit $?"
        grep -E 'depends on|never written|smallest' out | sed 's/-\{0,1\}[0-9.]*[0-9] where/V where/; s/expected [-0-9.e]*/expected V/'
    done
done
