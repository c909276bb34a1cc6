# Operators that somebody declares, on a GPU (the fake driver): every type, an input that is written, results that are lost, rules of
# results, a kernel that remembers. Their references run on the processor, and inputs are made on the GPU.
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
  signs:
    axes: {rows: 20, columns: 70, half: columns // 2}
    inputs: {x: "bf16[rows, columns]", shares: "fp32[columns] probs"}
    outputs: {y: "int8[rows, columns] steps(1)", first: "int32[rows, half] picks(x)", most: "int32[rows]"}
    reference: signs.c
    reference_call: "signs(x, y, first, most, int rows, int columns)"
kernels:
  signs: {operator: signs, backend: cuda, source: mine_signs.c, call: &signs "signs(x, y, first, most, int rows, int columns, stream)"}
  wrong_step: {operator: signs, backend: cuda, source: mine_signs.c, call: *signs, flags: [-DSTEP=2]}
  wrong_pick: {operator: signs, backend: cuda, source: mine_signs.c, call: *signs, flags: [-DPICK=1]}
  remembers: {operator: signs, backend: cuda, source: mine_signs.c, call: *signs, flags: [-DREMEMBERS]}
  right: {operator: add, backend: cuda, source: mine.c, call: &call "add(x, bytes, shorts, flags, sums, y, int rows, int columns, float scale, stream)"}
  ends_early: {operator: add, backend: cuda, source: mine.c, call: *call, flags: [-DSHORT=1]}
  elsewhere: {operator: add, backend: cuda, source: mine.c, call: *call, flags: [-DELSEWHERE]}
  coarse: {operator: add, backend: cuda, source: mine.c, call: *call, flags: [-DCOARSE=1e-6f]}
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
#ifndef COARSE
#define COARSE 0
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
        w->sums[i] += widen(w->x[i]) * (1 + COARSE);
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
cat >signs.c <<'C'
#include <stdint.h>
void signs(const double *x, double *y, int32_t *first, int32_t *most, int rows, int columns) {
    for (int r = 0; r < rows; ++r) {
        most[r] = 0;
        for (int c = 0; c < columns; ++c) {
            y[r * columns + c] = 10 * x[r * columns + c];
            most[r] += x[r * columns + c] > 0;
        }
        for (int c = 0; c < columns / 2; ++c) first[r * (columns / 2) + c] = c;
    }
}
C
sed -n '/^#define _GNU/,/^#ifndef/p' mine.c | sed '$d' >mine_signs.c
cat >>mine_signs.c <<'C'
#include <math.h>
#ifndef STEP
#define STEP 0
#endif
#ifndef PICK
#define PICK 0
#endif
struct work { const uint16_t *x; int8_t *y; int32_t *first, *most; int rows, columns; };
static float widen(uint16_t bits) { const uint32_t wide = (uint32_t)bits << 16; float f; memcpy(&f, &wide, 4); return f; }
static void compute(void *at) {
    const struct work *w = at;
#ifdef REMEMBERS // that it has computed, from the tenth launch at an address on
    static struct { const void *x; int count; } seen[64];
    int place = 0;
    while (seen[place].x && seen[place].x != w->x && place < 63) ++place;
    seen[place].x = w->x;
    static int8_t ys[64][1400];
    if (++seen[place].count > 10) memcpy(w->y, ys[place], sizeof *ys);
    const int is_known = seen[place].count > 10;
#else
    const int is_known = 0;
#endif
    for (int r = 0; r < w->rows; ++r) {
        w->most[r] = 0;
        for (int c = 0; c < w->columns; ++c) {
            const float x = widen(w->x[r * w->columns + c]);
            if (!is_known) w->y[r * w->columns + c] = (int8_t)(nearbyintf(10 * x) + (c == 3 ? STEP : 0));
            w->most[r] += x > 0;
        }
        for (int c = 0; c < w->columns / 2; ++c) w->first[r * (w->columns / 2) + c] = w->columns / 2 - 1 - c + PICK;
    }
#ifdef REMEMBERS
    memcpy(ys[place], w->y, sizeof *ys);
#endif
}
int signs(const uint16_t *x, int8_t *y, int32_t *first, int32_t *most, int rows, int columns, void *stream) {
    int (*enqueue)(void *, void (*)(void *), void *) = (int (*)(void *, void (*)(void *), void *))dlsym(RTLD_DEFAULT, "cuLaunchHostFunc");
    if (!enqueue) enqueue = (int (*)(void *, void (*)(void *), void *))dlsym(dlopen(getenv("ASSAY_CUDA_DRIVER"), RTLD_NOW), "cuLaunchHostFunc");
    struct work *work = malloc(sizeof *work);
    *work = (struct work){x, y, first, most, rows, columns};
    return enqueue(stream, compute, work);
}
C
on="--device cuda:0"
one="--problem add/rows20/columns70"
ends_with 0 assay fuzz $on --kernel right --suite few
says "3/3 right"
# The 2 x rule, whose measure the reference's process has taken: of sums in fp32 a part in a million shows.
ends_with 0 assay fuzz $on --kernel right --suite few --json
[ "$(grep -c '"same_precision_rms"' out)" = 6 ] || { complain "the reference's own errors are not known"; cat out; }
ends_with 1 assay fuzz $on --kernel coarse $one
says "two_x: 'sums'"
ends_with 1 assay fuzz $on --kernel ends_early $one
says "unwritten: 70 of 1400 elements of 'y' were never written, first [19][0]"
ends_with 1 assay fuzz $on --kernel elsewhere $one
# Each launch adds to 'sums', so that a set of buffers is for one launch of a sample:
ASSAY_FAKE_CUDA=$ASSAY_FAKE_CUDA,copies=$PWD/copies ends_with 0 assay bench $on --kernel right --iters 10 --isolation none
says "1/1 passed"
# 'x' has 2800 bytes, 'sums' 5600: nothing but the reference travels there, 11200 for each of two results.
grep -qx 'to 11200' copies || complain "the reference was not copied to the GPU"
! grep -qxE 'to (2800|5600)' copies || { complain "tensors were copied to the GPU"; sort copies | uniq -c; }
# Results that are too large for an eighth of the device's memory stay with the processor.
ASSAY_FAKE_CUDA=$ASSAY_FAKE_CUDA,memory_mib=64,copies=$PWD/large ends_with 0 assay fuzz $on --kernel right --problem add/rows600/columns1000
! grep -q 'to 4800000' large || complain "a large reference was copied to the GPU"
# Steps and picks; what the processor fills (probabilities); what a kernel does on data that it has not seen.
for kernel in signs wrong_step wrong_pick; do
    assay fuzz $on --kernel $kernel --problem signs/default >$kernel 2>&1
    echo $? >>$kernel
done
cat signs wrong_step wrong_pick >out
says "1/1 signs"
says "2 steps of int8 off, as 20 of 1400 elements are"
says "'first'[0][0] is 35 and picks 'x'[0][35]"
[ "$(grep -cx '[01]' out)" = 3 ] || complain "a check ended otherwise"
ends_with 0 assay bench $on --kernel signs --iters 10 --isolation none
ends_with 1 assay bench $on --kernel remembers --iters 10 --isolation none
says "a timed launch on data that it had not seen before gave something else"
# A wait that is held up is no late work, and an in-out tensor is for one launch, however often that is tried.
ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64,late_us=800,late_waits=3 ends_with 0 assay fuzz $on --kernel right $one
ASSAY_FAKE_CUDA=call_ns=20000,l2_kib=64,late_us=800 ends_with 1 assay fuzz $on --kernel right $one
says "late_work: the device went on working"
exit $failed
