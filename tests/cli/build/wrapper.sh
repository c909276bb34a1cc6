# The wrapper of docs/kernel-abi.md, around a function as somebody may have it: what it declares keeps other problems away, and the
# line that asks for a workspace compiles.
block() { awk -v wanted="$1" '/^```/ { is_open = !is_open && $0 == "```c"; count += is_open; next } is_open && count == wanted' "$ASSAY_SOURCE/docs/kernel-abi.md"; }
{
    block 1
    block 2 | sed 's/(prepare,/(unused,/' && echo 'int unused_too(void) { return unused(0, 0, 0, 0, 0); }'
    cat <<'C'
#include <math.h>
void theirs(float *out, const float *q, const float *k, const float *v, int heads, int keys, int dim) {
    for (int row = 0; row < heads * keys; ++row) {
        const int first = row / keys * keys;
        float sum = 0, *o = out + row * dim;
        for (int d = 0; d < dim; ++d) o[d] = 0;
        for (int j = first; j <= row; ++j) {
            float score = 0;
            for (int d = 0; d < dim; ++d) score += q[row * dim + d] * k[j * dim + d];
            const float weight = expf(score / sqrtf((float)dim));
            sum += weight;
            for (int d = 0; d < dim; ++d) o[d] += weight * v[j * dim + d];
        }
        for (int d = 0; d < dim; ++d) o[d] /= sum;
    }
}
C
} >theirs.c
cat >assay.yaml <<'Y'
version: 1
kernels: {theirs: {operator: attention, backend: cpu, source: theirs.c}}
suites:
  some:
    problems:
      causal: attention/fp32/b2/h3/s33/d32/causal
      unmasked: attention/fp32/b1/h2/s8/d8
      grouped: attention/fp32/b1/h4/hkv2/s8/d8/causal
      bshd: attention/fp32/b1/h2/s8/d8/causal/bshd
      half: attention/fp16/b1/h2/s8/d8/causal
Y
assay fuzz --kernel theirs --suite some | sed '/^results/d; s/(abs.*)/(...)/'
exit "${PIPESTATUS[0]}"
