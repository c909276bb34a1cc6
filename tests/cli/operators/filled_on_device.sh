# slow: PyTorch is loaded for every precision
# A reference in PyTorch that computes on the GPU fills its inputs there (the fake driver, whose memory is the host's, so that PyTorch
# without CUDA computes in it): none that is filled is copied to the host or from it, whatever its type. What raises on the GPU is
# computed on the processor, from the same inputs; without memory for float64, as written.
. "$ASSAY_SOURCE/tests/cli/operators/_python.sh" torch
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
mkdir ops
cat >ops/_cuda.py <<'P'
"""PyTorch without CUDA as if it had the fake driver's GPU."""
import contextlib
import sys
import torch

real_empty, real_to = torch.empty, torch.Tensor.to
torch.cuda.is_available = lambda: True
torch.cuda.synchronize = torch.cuda.empty_cache = lambda: None
@contextlib.contextmanager
def on_gpu(name):
    on_gpu.is_now = True
    try:
        yield
    finally:
        on_gpu.is_now = False
on_gpu.is_now = False
torch.device = on_gpu
torch.empty = lambda *sizes, device=None, **named: real_empty(*sizes, **named)
torch.Tensor.to = lambda self, *to, **named: real_to(self, *[word for word in to if word != "cuda:0"] or [self.dtype], **named)
sys.modules["__main__"].DEVICE_FROM_BYTES = 1 << 20
P
cat >ops/total.py <<'P'
import torch
import ops_cuda


def inputs(rows=1000, columns=70, fails=0.0):
    return {"x": f"bf16[{rows}, {columns}]", "y": f"fp32[{rows}, {columns}] outliers", "z": f"fp16[{rows}, {columns}] uniform(-1, 1)",
            "picked": f"int32[{rows}] below({columns})", "shorts": f"int16[{rows}]", "flags": f"bool[{rows}] mask(0.3)",
            "wide": f"int64[{rows}] below(9)", "shares": f"fp32[{columns}] probs", "eps": 0.5, "fails": fails}


def reference(x, y, z, picked, shorts, flags, wide, shares, eps, fails):
    if fails == 1 and ops_cuda.on_gpu.is_now:
        raise RuntimeError("this GPU has no such thing")
    if fails == 2 and x.dtype == torch.float64:
        raise torch.cuda.OutOfMemoryError("39 GiB asked for")
    whole = picked + shorts + flags + wide
    return ((x.float() + y + z.float()) * shares).sum(-1) * eps + whole
P
mv ops/_cuda.py ops/ops_cuda.py
cat >assay.yaml <<Y
version: 1
python_interpreter: $python
operators: {total: ops/total.py}
kernels:
  mine: {operator: total, backend: cuda, source: mine.c,
         call: "total(x, y, z, picked, shorts, flags, wide, shares, out0, int rows, int columns, float eps, stream)"}
suites: {three: {problems: {a: total/rows5000/columns70, b: total/rows5000/columns71/fails1, c: total/rows5000/columns72/fails2}}}
Y
cat >mine.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
struct work {
    const uint16_t *x; const float *y; const _Float16 *z; const int32_t *picked; const int16_t *shorts; const bool *flags; const int64_t *wide;
    const float *shares; float *out; int rows, columns; float eps;
};
static float widen(uint16_t bits) { const uint32_t wide = (uint32_t)bits << 16; float f; memcpy(&f, &wide, 4); return f; }
static void compute(void *at) {
    const struct work *w = at;
    for (int r = 0; r < w->rows; ++r) {
        double sum = 0;
        for (int i = r * w->columns, c = 0; c < w->columns; ++c, ++i) sum += (widen(w->x[i]) + w->y[i] + (float)w->z[i]) * w->shares[c];
        w->out[r] = (float)sum * w->eps + (float)(w->picked[r] + w->shorts[r] + w->flags[r] + w->wide[r]);
    }
}
int total(const uint16_t *x, const float *y, const void *z, const int32_t *picked, const int16_t *shorts, const bool *flags,
          const int64_t *wide, const float *shares, float *out, int rows, int columns, float eps, void *stream) {
    int (*enqueue)(void *, void (*)(void *), void *) = (int (*)(void *, void (*)(void *), void *))dlsym(RTLD_DEFAULT, "cuLaunchHostFunc");
    if (!enqueue) enqueue = (int (*)(void *, void (*)(void *), void *))dlsym(dlopen(getenv("ASSAY_CUDA_DRIVER"), RTLD_NOW), "cuLaunchHostFunc");
    struct work *work = malloc(sizeof *work);
    *work = (struct work){x, y, z, picked, shorts, flags, wide, shares, out, rows, columns, eps};
    return enqueue(stream, compute, work);
}
C
ASSAY_FAKE_CUDA=$ASSAY_FAKE_CUDA,copies=$PWD/copies
ends_with 0 assay fuzz --device cuda:0 --kernel mine --suite three
says "3/3 mine"
says "OutOfMemoryError: 39 GiB asked for"
grep -v '^results: ' out
# Of columns70: x and z have 700000 bytes, y 1400000, integers 10000, 20000 and 40000. So have the results, which come from there (20000),
# and the reference, which goes there (40000).
if grep -E '^(to|from) (10000|7[012]0000|14[024]0000)$|^to 20000$|^from 40000$' copies; then complain "inputs were copied"; fi
grep -qx 'to 40000' copies || complain "no reference was copied: nothing was counted"
# There it is a process that uses the GPU, until it has ended: before the samples.
export ASSAY_FAKE_CUDA=l2_kib=64,real_us=1000
FAKE_NVML=child=assay_reference ends_with 0 assay bench --device cuda:0 --kernel mine --problem total/rows5000/columns73 --iters 10 \
    --isolation process
exit $failed
