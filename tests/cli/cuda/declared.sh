# Operators that somebody declares, on a GPU (the fake driver): every type, an input that is written, results that are lost. Their
# references run on the processor.
. "$ASSAY_SOURCE/tests/cli/cuda/_gpu.sh"
cat >assay.yaml <<'Y'
version: 1
operators:
  add:
    axes: {rows: 20, columns: 70}
    inputs: {x: "bf16[rows, columns]", bytes: "uint8[columns]", shorts: "int16[columns]", flags: "bool[columns] mask(0.5)", scale: 2.0}
    inout: {sums: "fp32[rows, columns]"}
    outputs: {y: "bf16[rows, columns]"}
    reference: reference.c
    reference_call: "add(x, bytes, shorts, flags, sums, y, int rows, int columns, double scale)"
kernels:
  right: {operator: add, backend: cuda, source: mine.c, call: &call "add(x, bytes, shorts, flags, sums, y, int rows, int columns, float scale, stream)"}
  ends_early: {operator: add, backend: cuda, source: mine.c, call: *call, flags: [-DSHORT=1]}
  elsewhere: {operator: add, backend: cuda, source: mine.c, call: *call, flags: [-DELSEWHERE]}
suites: {few: {problems: {a: add/rows20/columns70, b: add/rows65/columns3, c: add/rows1/columns1000}}}
Y
cat >reference.c <<'C'
#include <stdbool.h>
#include <stdint.h>
void add(const double *x, const uint8_t *bytes, const int16_t *shorts, const bool *flags, double *sums, double *y, int rows, int columns, double scale) {
    for (int i = 0; i < rows * columns; ++i) {
        const int column = i % columns;
        y[i] = scale * x[i] + bytes[column] + (flags[column] ? shorts[column] : 0);
        sums[i] += x[i];
    }
}
C
# Work is put on the stream as a host function, as the driver of these tests has it.
cat >mine.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifndef SHORT
#define SHORT 0
#endif
struct work {
    const uint16_t *x; const uint8_t *bytes; const int16_t *shorts; const bool *flags; float *sums; uint16_t *y;
    int rows, columns; float scale;
};
static float widen(uint16_t bits) { const uint32_t wide = (uint32_t)bits << 16; float f; memcpy(&f, &wide, 4); return f; }
static uint16_t narrow(float f) { uint32_t b; memcpy(&b, &f, 4); return (uint16_t)((b + 0x7fff + (b >> 16 & 1)) >> 16); }
static void compute(void *at) {
    const struct work *w = at;
    for (int i = 0; i < (w->rows - SHORT) * w->columns; ++i) {
        const int c = i % w->columns;
        w->y[i] = narrow(w->scale * widen(w->x[i]) + w->bytes[c] + (w->flags[c] ? w->shorts[c] : 0));
        w->sums[i] += widen(w->x[i]);
    }
}
int add(const uint16_t *x, const uint8_t *bytes, const int16_t *shorts, const bool *flags, float *sums, uint16_t *y, int rows, int columns,
        float scale, void *stream) {
    int (*enqueue)(void *, void (*)(void *), void *) = (int (*)(void *, void (*)(void *), void *))dlsym(RTLD_DEFAULT, "cuLaunchHostFunc");
    if (!enqueue) enqueue = (int (*)(void *, void (*)(void *), void *))dlsym(dlopen(getenv("ASSAY_CUDA_DRIVER"), RTLD_NOW), "cuLaunchHostFunc");
    struct work *work = malloc(sizeof *work); // a graph may launch it again
    *work = (struct work){x, bytes, shorts, flags, sums, y, rows, columns, scale};
#ifdef ELSEWHERE
    stream = NULL;
#endif
    return enqueue(stream, compute, work);
}
C
on="--device cuda:0"
one="--problem add/rows20/columns70"
ends_with 0 assay fuzz $on --kernel right --suite few
says "3/3 right"
ends_with 1 assay fuzz $on --kernel ends_early $one
says "unwritten: 70 of 1400 elements of 'y' were never written, first [19][0]"
ends_with 1 assay fuzz $on --kernel elsewhere $one
# Each launch adds to 'sums', so that a set of buffers is for one launch of a sample:
ends_with 0 assay bench $on --kernel right --iters 10 --isolation none
says "1/1 passed"
# A wait that is held up is no late work, and an in-out tensor is for one launch, however often that is tried.
ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64,late_us=800,late_waits=3 ends_with 0 assay fuzz $on --kernel right $one
ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64,late_us=800 ends_with 1 assay fuzz $on --kernel right $one
says "late_work: the device went on working"
exit $failed
