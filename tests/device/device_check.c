// SPDX-License-Identifier: Apache-2.0
//
// Compares every device kernel on a GPU with its counterpart on the CPU, and the operators' with the host's
// fills and oracles; then prints how long oracle, same-precision reference and the others take on a large
// problem. For a machine with a GPU: `build/default/tests/device_check [cuda:0 [PART...]]`, a part being
// "kernels", "declared", "operators" or "times". One line a check; exit code 1 when one fails. Of the
// operators the tests' fake driver takes minutes.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "device/both_sides.h"
#include "device/declared_inputs.h"
#include "device/ulps.h"
#include "fakes/device_host.h"
#include "op/attention/attention_internal.h"
#include "op/attention/device_attention_core.h"
#include "op/dtype.h"
#include "op/random_normal.h"
#include "worker/backend/backend.h"
#include "worker/check/case_buffers.h"

static void run_here(const char *entry, uint32_t blocks, uint32_t threads, const void *args) {
    const uint32_t grid[3] = {blocks, 1, 1};
    if (dev_run_on_host(entry, grid, threads, args) < 0) abort();
}

// ---- memory device kernels: odd addresses, odd lengths ----

#define AREA 100000

static const uint64_t lengths[] = {0, 1, 7, 8, 15, 16, 17, 100, 4096, 99000};
static const uint64_t shifts[] = {0, 1, 8, 13};

static void check_pattern(void) {
    uint8_t *host = calloc(1, AREA), *got = malloc(AREA), *data = on_device(AREA);
    bool is_right = true;
    for (size_t l = 0; l < 10; ++l)
        for (size_t s = 0; s < 4; ++s) {
            struct dev_pattern args = {host + shifts[s], lengths[l], UINT64_C(0x1122334455667788) + l};
            memset(host, 0, AREA);
            to_device(data, host, AREA);
            run_here("assay_pattern", 1, 1, &args);
            args.data = data + shifts[s];
            launch("assay_pattern", 1 + (uint32_t)l, 96, &args, sizeof args);
            to_host(got, data, AREA);
            is_right &= memcmp(host, got, AREA) == 0;
        }
    say(is_right, "pattern", "40 ranges");
    give_back(data), free(host), free(got);
}

static void check_hash(void) {
    uint8_t *host = some_bytes(AREA, 1), *data = on_device(AREA);
    uint64_t *sums = on_device(16), got[2];
    bool is_right = true;
    to_device(data, host, AREA);
    for (size_t l = 0; l < 10; ++l)
        for (size_t s = 0; s < 4; ++s) {
            uint64_t expected[2] = {0, 0};
            struct dev_hash args = {host + shifts[s], lengths[l], expected};
            run_here("assay_hash", 1, 1, &args);
            to_device(sums, (uint64_t[2]){0, 0}, 16);
            args.data = data + shifts[s], args.sums = sums;
            launch("assay_hash", 1 + (uint32_t)l * 3, 160, &args, sizeof args);
            to_host(got, sums, 16);
            is_right &= memcmp(expected, got, 16) == 0;
        }
    say(is_right, "hash", "40 ranges");
    give_back(data), give_back(sums), free(host);
}

static void check_find_difference(void) {
    uint8_t *host = some_bytes(AREA, 1), *a = on_device(AREA), *b = on_device(AREA + 16);
    uint64_t *first = on_device(8);
    bool is_right = true;
    to_device(a, host, AREA);
    for (size_t s = 0; s < 4; ++s)
        for (uint64_t place = 0; place < AREA; place += 7777) {
            uint64_t got, none = UINT64_MAX;
            host[place] ^= 1, host[AREA - 1] ^= 2;
            to_device(b + shifts[s], host, AREA);
            host[place] ^= 1, host[AREA - 1] ^= 2;
            to_device(first, &none, 8);
            const struct dev_find_difference args = {a, b + shifts[s], AREA, first};
            launch("assay_find_difference", 5, 128, &args, sizeof args);
            to_host(&got, first, 8);
            is_right &= got == place;
        }
    say(is_right, "find_difference", "52 pairs");
    give_back(a), give_back(b), give_back(first), free(host);
}

static void check_find_unlike(void) {
    enum { REGIONS = 40 };
    uint8_t *host = malloc(AREA), *data = on_device(AREA);
    struct dev_region here[REGIONS], there[REGIONS];
    uint64_t expected[REGIONS], got[REGIONS];
    uint64_t *first = on_device(sizeof got);
    void *regions = on_device(sizeof there);
    memset(host, 0x5a, AREA);
    for (size_t i = 0; i < 20; ++i) host[i * i * 200 + 77] = (uint8_t)i;
    for (size_t r = 0; r < REGIONS; ++r) {
        const uint64_t at = r * 2111 + r, bytes = r * 97;
        here[r] = (struct dev_region){host + at, bytes};
        there[r] = (struct dev_region){data + at, bytes};
        expected[r] = UINT64_MAX;
    }
    to_device(data, host, AREA), to_device(regions, there, sizeof there),
        to_device(first, expected, sizeof got);
    struct dev_find_unlike args = {here, expected, REGIONS, 0x5a};
    run_here("assay_find_unlike", REGIONS, 128, &args);
    args.regions = regions, args.first = first;
    launch("assay_find_unlike", REGIONS, 128, &args, sizeof args);
    to_host(got, first, sizeof got);
    say(memcmp(expected, got, sizeof got) == 0, "find_unlike", "40 regions");
    give_back(data), give_back(first), give_back(regions), free(host);
}

static void check_poke_and_peek(void) {
    enum { PLACES = 300 };
    uint8_t *host = some_bytes(AREA, 3), *got = malloc(AREA), *data = on_device(AREA);
    struct dev_place here[PLACES], there[PLACES];
    uint64_t values[PLACES], expected[PLACES];
    void *places = on_device(sizeof there);
    uint64_t *results = on_device(sizeof values);
    for (uint64_t i = 0; i < PLACES; ++i) {
        here[i] = (struct dev_place){host + i * 32 + 8, rng_u64(1, 5, i), 1u << i % 4, 0};
        there[i] = here[i];
        there[i].data = data + i * 32 + 8;
    }
    to_device(data, host, AREA), to_device(places, there, sizeof there);
    run_here("assay_poke", 1, 1, &(struct dev_poke){here, PLACES});
    run_here("assay_peek", 1, 1, &(struct dev_peek){here, expected, PLACES});
    const struct dev_poke poke = {places, PLACES};
    const struct dev_peek peek = {places, results, PLACES};
    launch("assay_poke", 2, 64, &poke, sizeof poke);
    launch("assay_peek", 2, 64, &peek, sizeof peek);
    to_host(got, data, AREA), to_host(values, results, sizeof values);
    say(memcmp(host, got, AREA) == 0 && memcmp(values, expected, sizeof values) == 0, "poke, peek",
        "300 places");
    give_back(data), give_back(places), give_back(results), free(host), free(got);
}

// ---- comparison ----

static void check_compare(int32_t dtype) {
    enum { COUNT = 100003, BLOCKS = 26 };
    const size_t bytes = COUNT * dtype_bytes(dtype);
    uint8_t *host = some_bytes(bytes, 4), *out = on_device(bytes); // any bits: NaN and infinity among them
    double *reference = malloc(COUNT * sizeof *reference), *there = on_device(COUNT * sizeof *reference);
    struct dev_compare_part expected[BLOCKS], got[BLOCKS];
    void *parts = on_device(sizeof got);
    for (int64_t i = 0; i < COUNT; ++i) {
        reference[i] = dtype_load(dtype, host + (size_t)i * dtype_bytes(dtype));
        if (i % 11 == 3) reference[i] = dev_double(DEV_SKIP_BITS);
        if (i % 17 == 5) reference[i] = reference[i] * 1.01 + 1;
    }
    to_device(out, host, bytes), to_device(there, reference, COUNT * sizeof *reference);
    struct dev_compare args = {host, reference, expected, COUNT, 4000, 0, 1e-3, 1e-2, dtype, 0};
    memcpy(&args.poison, host + 16 * dtype_bytes(dtype), dtype_bytes(dtype));
    run_here("assay_compare", BLOCKS, 256, &args);
    args.out = out, args.reference = there, args.parts = parts;
    launch("assay_compare", BLOCKS, 256, &args, sizeof args);
    to_host(got, parts, sizeof got);
    say(memcmp(expected, got, sizeof got) == 0, "compare", dtype_name(dtype));
    give_back(out), give_back(there), give_back(parts), free(host), free(reference);
}

// ---- clocks and caches ----

static void check_clocks(void) {
    struct dev_stamp_value stamps[132], spun[2];
    char text[128];
    void *data = on_device(sizeof stamps);
    const struct dev_spin spin = {data, 2000000};
    launch("assay_spin", 1, 1, &spin, sizeof spin);
    to_host(spun, data, sizeof spun);
    const double ns = (double)(spun[1].ns - spun[0].ns), hz = (double)(spun[1].cycles - spun[0].cycles) / ns;
    snprintf(text, sizeof text, "asked for 2 ms, took %.4f ms at %.4f GHz", ns * 1e-6, hz);
    say(ns >= 2e6 && ns < 3e6 && hz > 0.1 && hz < 5, "spin", text);
    const struct dev_stamp stamp = {data};
    launch("assay_stamp", 132, 32, &stamp, sizeof stamp);
    to_host(stamps, data, sizeof stamps);
    uint32_t sm_seen[8] = {0}, count = 0;
    for (int i = 0; i < 132; ++i) sm_seen[stamps[i].sm / 32 % 8] |= 1u << stamps[i].sm % 32;
    for (int i = 0; i < 8; ++i) count += (uint32_t)__builtin_popcount(sm_seen[i]);
    snprintf(text, sizeof text, "132 blocks ran on %u multiprocessors", count);
    say(count > 0 && stamps[0].ns > spun[1].ns, "stamp", text);
    give_back(data);
}

// A cycle over one word in every 1 KB; steps > length goes round again.
static double chase(const uint32_t *links, uint64_t *cycles, uint32_t steps) {
    uint64_t got;
    const struct dev_chase args = {links, cycles, steps, 0};
    launch("assay_chase", 1, 1, &args, sizeof args);
    to_host(&got, cycles, 8);
    return (double)got;
}

static void check_caches(void) {
    enum { LINKS = 1024, WORDS = 256 };
    uint32_t *host = calloc(LINKS, WORDS * sizeof *host), *links = on_device((size_t)LINKS * WORDS * 4);
    uint64_t *cycles = on_device(8);
    const size_t flush_bytes = 2 * (device->rotate_bytes ? (size_t)device->rotate_bytes : 64u << 20);
    void *area = on_device(flush_bytes);
    char text[160];
    for (uint32_t i = 0; i < LINKS; ++i) host[i * WORDS] = (i + 379) % LINKS * WORDS;
    to_device(links, host, (size_t)LINKS * WORDS * 4);
    chase(links, cycles, LINKS);
    const double warm = chase(links, cycles, LINKS);
    const struct dev_flush flush = {area, flush_bytes};
    launch("assay_flush", 1024, 256, &flush, sizeof flush);
    const double cold = chase(links, cycles, LINKS);
    snprintf(text, sizeof text, "a step takes %.0f cycles warm, %.0f after a flush of %zu MiB", warm, cold,
             flush_bytes >> 20);
    const bool has_caches = !getenv("ASSAY_FAKE_CUDA"); // of the tests' fake driver: it has none
    say(!has_caches || (warm > 50 && cold > 1.3 * warm), "flush, chase", text);
    give_back(links), give_back(cycles), give_back(area), free(host);
}

// ---- operators ----

struct sides {
    struct problem problem;
    struct problem_abi here, there; // tensors in both memories
    void *table;                    // of op_device, on the device
    uint32_t input_count, output_count;
    uint64_t counts[OP_TENSORS_MAX]; // elements of each output
};

static void sides_open(struct sides *s, const char *name) {
    struct err err = {0};
    size_t table_bytes;
    memset(s, 0, sizeof *s);
    if (problem_parse(&operators_compiled, name, &s->problem, &err) < 0) fatal(&err);
    problem_describe(&s->problem, MEMORY_LAYOUT_DENSE, &s->here);
    problem_describe(&s->problem, MEMORY_LAYOUT_DENSE, &s->there);
    const void *table = normal_table_shared(&table_bytes);
    s->table = on_device(table_bytes);
    to_device(s->table, table, table_bytes);
    for (uint32_t i = 0; i < s->here.tensor_count; ++i) {
        if (s->here.tensors[i].access == ASSAY_OUT) {
            s->counts[s->output_count++] = tensor_element_count(&s->here.tensors[i]);
            continue;
        }
        ++s->input_count;
        const size_t bytes = (size_t)tensor_span_bytes(&s->here.tensors[i]);
        s->here.tensors[i].data = calloc(1, bytes);
        s->there.tensors[i].data = on_device(bytes);
        to_device(s->there.tensors[i].data, s->here.tensors[i].data, bytes);
    }
}

static void sides_close(struct sides *s) {
    for (uint32_t i = 0; i < s->input_count; ++i)
        free(s->here.tensors[i].data), give_back(s->there.tensors[i].data);
    give_back(s->table);
}

static void run_programs(const struct kernel_launch *programs, size_t count) {
    for (size_t i = 0; i < count; ++i) launch_program(&programs[i]);
}

static void fill_there(struct sides *s) {
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    for (uint32_t i = 0; i < s->input_count; ++i)
        run_programs(programs, s->problem.op->device->fill(&s->problem, "normal", 3, &s->there.tensors[i],
                                                           s->table, programs));
}

static void fill_here(struct sides *s, const char *distribution) {
    struct err err = {0};
    for (uint32_t i = 0; i < s->input_count; ++i)
        if (s->problem.op->fill(&s->problem, distribution, 3, i, &s->here.tensors[i], &err) < 0) fatal(&err);
}

static bool is_filled_alike(struct sides *s) {
    bool is_right = true;
    fill_here(s, "normal");
    fill_there(s);
    for (uint32_t i = 0; i < s->input_count; ++i) {
        const size_t bytes = (size_t)tensor_span_bytes(&s->here.tensors[i]);
        void *got = malloc(bytes);
        to_host(got, s->there.tensors[i].data, bytes);
        is_right &= memcmp(got, s->here.tensors[i].data, bytes) == 0;
        free(got);
    }
    return is_right;
}

static bool is_same(double a, double b) {
    if (dev_bits(b) == DEV_SKIP_BITS || dev_is_faint_infinity(b)) return dev_bits(a) == dev_bits(b);
    return (isnan(a) && isnan(b)) || a == b;
}

// Largest |a - b| / (1 + |b|); infinity if one is NaN or infinite and the other is not the same.
static double distance(const double *a, const double *b, uint64_t count) {
    double worst = 0;
    for (uint64_t i = 0; i < count; ++i) {
        if (is_same(a[i], b[i])) continue;
        const double d = fabs(a[i] - b[i]) / (1 + fabs(b[i]));
        if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
    }
    return worst;
}

struct results {
    void *there[OP_TENSORS_MAX], *here[OP_TENSORS_MAX], *got[OP_TENSORS_MAX];
};

static struct results results_open(const struct sides *s) {
    struct results r = {0};
    for (uint32_t k = 0; k < s->output_count; ++k) {
        const size_t bytes = (size_t)s->counts[k] * sizeof(double);
        r.there[k] = on_device(bytes), r.here[k] = malloc(bytes), r.got[k] = malloc(bytes);
        for (uint64_t i = 0; i < s->counts[k]; ++i) ((double *)r.here[k])[i] = dev_double(DEV_SKIP_BITS);
        to_device(r.there[k], r.here[k], bytes);
    }
    return r;
}

static void results_close(const struct sides *s, struct results *r) {
    for (uint32_t k = 0; k < s->output_count; ++k) give_back(r->there[k]), free(r->here[k]), free(r->got[k]);
}

static double oracle_distance(struct sides *s, uint32_t row_step) {
    const uint32_t row_first = row_step / 2;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    struct results r = results_open(s);
    double worst = 0;
    const struct op_device *op = s->problem.op->device;
    run_programs(programs, op->oracle(&s->problem, s->there.tensors, (double *const *)r.there, row_first,
                                      row_step, programs));
    const size_t count =
        op->oracle(&s->problem, s->here.tensors, (double *const *)r.here, row_first, row_step, programs);
    for (size_t i = 0; i < count; ++i)
        run_here(programs[i].entry, programs[i].grid[0], programs[i].block, programs[i].args);
    for (uint32_t k = 0; k < s->output_count; ++k) {
        to_host(r.got[k], r.there[k], (size_t)s->counts[k] * sizeof(double));
        worst = fmax(worst, distance(r.got[k], r.here[k], s->counts[k]));
    }
    results_close(s, &r);
    return worst;
}

// The two same-precision references differ where exponentials do, by a rounding: root mean square against the
// output's own step; -1: the host alone computes it.
static double same_precision_distance(struct sides *s) {
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    struct results r = results_open(s);
    double worst = 0;
    const struct op_device *op = s->problem.op->device;
    const size_t count = op->same_precision(&s->problem, s->there.tensors, r.there, programs);
    if (count == 0) {
        results_close(s, &r);
        return -1;
    }
    run_programs(programs, count);
    op->same_precision(&s->problem, s->here.tensors, r.here, programs);
    run_here(programs[0].entry, 1, programs[0].block, programs[0].args);
    for (uint32_t k = 0; k < s->output_count; ++k) {
        const int32_t dtype = s->here.tensors[s->input_count + k].dtype;
        to_host(r.got[k], r.there[k], (size_t)s->counts[k] * dtype_bytes(dtype));
        worst = fmax(worst, ulps_apart(dtype, r.got[k], r.here[k], s->counts[k]));
    }
    results_close(s, &r);
    return worst;
}

static void check_results(struct sides *s, const char *distribution) {
    char text[PROBLEM_NAME_BYTES + 128];
    const double all = oracle_distance(s, 1), some = oracle_distance(s, 7);
    snprintf(text, sizeof text, "%s, %s: apart by %.2g, every 7th row %.2g", s->problem.name, distribution,
             all, some);
    say(all < 1e-12 && some < 1e-12, "oracle", text);
    const double same_precision = same_precision_distance(s);
    snprintf(text, sizeof text, "%s, %s: apart by %.3g ulp (rms)", s->problem.name, distribution,
             same_precision);
    if (same_precision >= 0)
        say(same_precision < ulps_allowed(s->here.tensors, s->input_count), "same_precision", text);
}

static void check_problem(const char *name, bool with_distributions) {
    struct sides s;
    sides_open(&s, name);
    say(is_filled_alike(&s), "fill", name);
    check_results(&s, "normal");
    for (const char *const *distribution = s.problem.op->distributions; *distribution && with_distributions;
         ++distribution) {
        if (!s.problem.op->distribution_applies(&s.problem, *distribution)) continue;
        fill_here(&s, *distribution); // the host fills them on a device too
        for (uint32_t k = 0; k < s.input_count; ++k)
            to_device(s.there.tensors[k].data, s.here.tensors[k].data,
                      (size_t)tensor_span_bytes(&s.here.tensors[k]));
        check_results(&s, *distribution);
    }
    sides_close(&s);
}

// Whether a worker would check it on the device.
static bool is_for_device(const struct op_case *item) {
    const struct case_memory memory = {.memory_layout = item->memory_layout};
    struct case_buffers buffers;
    struct err err = {0};
    if (case_buffers_init(&buffers, device, &item->problem, &memory, &err) < 0) fatal(&err);
    snprintf(buffers.distribution, sizeof buffers.distribution, "%s", item->distribution);
    const bool ret = checker_device.can(&buffers);
    case_buffers_fini(&buffers);
    return ret;
}

// The boundary matrix of every operator, as far as it is for the device, with dense tensors.
static void check_boundaries(void) {
    static const char *const dtypes[] = {"fp32", "fp16", "bf16", "fp8_e4m3"};
    const struct operator_def *op;
    for (size_t o = 0; (op = operator_at(&operators_compiled, o)); ++o)
        for (size_t t = 0; op->device && t < sizeof dtypes / sizeof *dtypes; ++t) {
            struct arena arena = {0};
            const struct op_cases cases = problem_boundary(op, dtypes[t], &arena);
            for (size_t i = 0; i < cases.count; ++i) {
                const struct op_case *item = &cases.items[i];
                if (item->memory_layout == MEMORY_LAYOUT_DENSE && is_for_device(item))
                    check_problem(item->problem.name, false);
            }
            arena_fini(&arena);
        }
}

// ---- declared operators ----

// Whether the tensor is filled there as here.
static bool is_input_alike(const struct problem *problem, const struct assay_tensor *tensor, uint32_t index,
                           void *table) {
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    struct err err = {0};
    const size_t bytes = (size_t)tensor_span_bytes(tensor);
    struct assay_tensor here = *tensor, there = *tensor;
    here.data = calloc(1, bytes);
    there.data = on_device(bytes);
    to_device(there.data, here.data, bytes);
    if (problem->op->fill(problem, "normal", 3, index, &here, &err) < 0) fatal(&err);
    const size_t count = problem->op->device->fill(problem, "normal", 3, &there, table, programs);
    run_programs(programs, count);
    void *got = malloc(bytes);
    to_host(got, there.data, bytes);
    const bool is_right = count && memcmp(got, here.data, bytes) == 0;
    free(got), free(here.data), give_back(there.data);
    return is_right;
}

// Every type by every family, with gaps between rows.
static void check_declared(void) {
    struct arena arena = {0};
    struct err err = {0};
    size_t table_bytes;
    const void *normals = normal_table_shared(&table_bytes);
    void *table = on_device(table_bytes);
    to_device(table, normals, table_bytes);
    for (int32_t dtype = 1; dtype < ASSAY_DTYPE_END; ++dtype) {
        const struct operator_def *op = declared_inputs_of(&arena, dtype);
        struct problem problem;
        struct problem_abi abi;
        const char *wrong = NULL;
        if (problem_parse(&(struct operator_set){&op, 1}, "inputs/rows300", &problem, &err) < 0) fatal(&err);
        problem_describe(&problem, MEMORY_LAYOUT_PADDED, &abi);
        for (uint32_t i = 0; i + 1 < abi.tensor_count; ++i)
            if (!is_input_alike(&problem, &abi.tensors[i], i, table)) wrong = abi.tensors[i].name;
        say(!wrong, dtype_name(dtype), wrong ? wrong : "inputs of every family");
    }
    give_back(table);
    arena_fini(&arena);
}

// ---- times ----

static double wait_ms(uint64_t begin_ns, const void *data) {
    uint64_t word;
    to_host(&word, data, 1);
    return (double)(clock_ns() - begin_ns) * 1e-6;
}

static void time_large(const char *name) {
    struct sides s;
    struct kernel_launch programs[OP_PROGRAMS_MAX];
    sides_open(&s, name);
    fill_there(&s);
    struct results r = results_open(&s);
    const struct op_device *op = s.problem.op->device;
    for (int again = 0; again < 2; ++again) {
        uint64_t begin = clock_ns();
        fill_there(&s);
        const double fill_ms = wait_ms(begin, s.there.tensors[0].data);
        begin = clock_ns();
        run_programs(programs,
                     op->oracle(&s.problem, s.there.tensors, (double *const *)r.there, 0, 1, programs));
        const double oracle_ms = wait_ms(begin, r.there[0]);
        begin = clock_ns();
        run_programs(programs,
                     op->oracle(&s.problem, s.there.tensors, (double *const *)r.there, 0, 64, programs));
        const double sparse_ms = wait_ms(begin, r.there[0]);
        begin = clock_ns();
        run_programs(programs, op->same_precision(&s.problem, s.there.tensors, r.there, programs));
        printf(
            "time  %s: fill %.2f ms, oracle %.2f ms (%.2f TFLOP/s), every 64th row %.2f ms, same precision "
            "%.2f ms\n",
            name, fill_ms, oracle_ms, problem_flops(&s.problem) / oracle_ms * 1e-9, sparse_ms,
            wait_ms(begin, r.there[0]));
    }
    results_close(&s, &r);
    sides_close(&s);
}

// ---- parts ----

static void check_kernels(void) {
    check_pattern();
    check_hash();
    check_find_difference();
    check_find_unlike();
    check_poke_and_peek();
    for (int32_t dtype = 1; dtype < ASSAY_DTYPE_END; ++dtype)
        if (dtype != ASSAY_FP64) check_compare(dtype); // sums of any numbers that it holds overflow
    check_clocks();
    check_caches();
}

static void check_operators(void) {
    static const char *const problems[] = {
        "attention/fp32/b1/h2/s37/d24",
        "attention/fp16/b2/h4/hkv2/sq33/sk70/d64/causal_br",
        "attention/bf16/b1/h2/sq70/sk33/d40/causal_br/lse",
        "attention/fp16/b1/h3/sq130/sk165/d80/causal/lse/bshd",
        "attention/fp8_e4m3/b2/h4/hkv2/sq50/sk66/d72/lse",
        "attention/fp8_e4m3/b1/h2/s65/d16/causal",
        "attention/bf16/b1/h1/s1/d1",
        "attention/fp16/b1/h1/s100/d512",
        "attention/fp16/b2/h2/s512/d128/causal",
        "attention/fp32/b2/h2/s512/d64/lse",
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) check_problem(problems[i], true);
    check_boundaries();
}

static void take_times(void) {
    time_large("attention/fp16/b32/h8/s2048/d64");
    time_large("attention/bf16/b16/h8/s2048/d128/causal");
    time_large("gemm/bf16/m4096/n4096/k4096/bt");
}

int main(int argc, char **argv) {
    static const struct part {
        const char *name;
        void (*run)(void);
    } parts[] = {{"kernels", check_kernels},
                 {"declared", check_declared},
                 {"operators", check_operators},
                 {"times", take_times}};
    struct err err = {0};
    const struct device_request request = {.device = argc > 1 ? argv[1] : "cuda:0"};
    const uint64_t begin_ns = clock_ns();
    if (device_open(&request, &device, &err) < 0) fatal(&err);
    if (!device->backend->work) fatal(&(struct err){.text = "this device does nothing where data lie"});
    printf("device %s, open after %.0f ms\n", device->info.name, (double)(clock_ns() - begin_ns) * 1e-6);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        bool is_wanted = argc < 3;
        for (int k = 2; k < argc; ++k) is_wanted |= str_equal(argv[k], parts[i].name);
        if (is_wanted) parts[i].run();
    }
    printf("%d failed\n", failures);
    device_close(device);
    return failures > 0;
}
