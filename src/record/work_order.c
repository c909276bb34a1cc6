// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads a work order: one JSON document from control to a worker, with every size bounded.
// control/plan/ makes orders, worker/order/ carries them out.
#include "record/work_order.h"

#include <string.h>

#include "base/mem.h"
#include "record/declared_members.h"
#include "record/field.h"
#include "record/samples.h"

enum { WORK_CASES_MAX = 1 << 16 };

static const char *const work_kind_names[WORK_KIND_COUNT] = {
    [WORK_INVALID] = "invalid",   [WORK_DESCRIBE] = "describe", [WORK_DEVICES] = "devices",
    [WORK_CEILINGS] = "ceilings", [WORK_CHECK] = "check",       [WORK_ROUND] = "round",
    [WORK_AUDIT] = "audit",       [WORK_COUNT] = "count",       [WORK_LOCK] = "lock",
    [WORK_PROFILE] = "profile",   [WORK_SUPPORTS] = "supports", [WORK_REFERENCE] = "reference",
};

static const char *const cache_mode_names[CACHE_COUNT] = {
    [CACHE_INVALID] = "invalid",
    [CACHE_COLD] = "cold",
    [CACHE_ROTATE] = "rotate",
    [CACHE_WARM] = "warm",
};

static const char *const power_mode_names[POWER_MODE_COUNT] = {
    [POWER_MODE_INVALID] = "invalid",
    [POWER_MODE_COOL] = "cool",
    [POWER_MODE_SUSTAINED] = "sustained",
};

static const char *const isolation_names[ISOLATION_COUNT] = {
    [ISOLATION_INVALID] = "", [ISOLATION_NONE] = "none", [ISOLATION_PROCESS] = "process"};

#define NAMES(type, names, count)                                                                            \
    const char *type##_name(enum type value) {                                                               \
        return member_name(names, count, (int)value);                                                        \
    }                                                                                                        \
    enum type type##_parse(const char *name) {                                                               \
        const int value = member_value(names, count, name);                                                  \
        return value > 0 ? (enum type)value : (enum type)0;                                                  \
    }
NAMES(work_kind, work_kind_names, WORK_KIND_COUNT)
NAMES(cache_mode, cache_mode_names, CACHE_COUNT)
NAMES(power_mode, power_mode_names, POWER_MODE_COUNT)
NAMES(isolation, isolation_names, ISOLATION_COUNT)

uint64_t work_default_memory_bytes(void) {
    return mem_machine_bytes() / 2;
}

struct sampling sampling_default(void) {
    return (struct sampling){
        .sample_count = 100,
        .warmup_count = 20,
        .sample_time_ns = 1000000,
        .stabilize_ns = 200000000,
        .case_budget_ns = 30000000000u, // a plan with a shorter limit of a case takes half of that
        .cache_mode = CACHE_ROTATE,
        .power_mode = POWER_MODE_COOL,
    };
}

static int sampling_check(const struct json_at *at, const void *object, struct err *err) {
    const struct sampling *sampling = object;
    const uint32_t most = (uint32_t)SAMPLES_COUNT_MAX / 2;
    if (sampling->sample_count <= most && sampling->sample_count_noisy <= most &&
        sampling->sample_count_noisier <= most)
        return 0;
    return err_set(err, ERR_DATA, "%s: at most %lu samples a side are possible", at->where,
                   (unsigned long)most);
}

#define SAMPLING(k, m, ...) MEMBER(struct sampling, k, m, __VA_ARGS__)
static const struct member sampling_list[] = {
    SAMPLING("sample_count", sample_count, "Samples of a side; with two sides pairs.", MEMBER_WRITTEN),
    SAMPLING("sample_count_noisy", sample_count_noisy, "Where their CV exceeds 3 %; 0: as above.",
             MEMBER_WRITTEN),
    SAMPLING("sample_count_noisier", sample_count_noisier, "Where it exceeds 5 %; 0: as above.",
             MEMBER_WRITTEN),
    SAMPLING("warmup_count", warmup_count, "Least launches before the samples.", MEMBER_WRITTEN),
    SAMPLING("until_pct", until_pct, "Half width of the median's interval at which sampling stops; 0: none.",
             MEMBER_WRITTEN | MEMBER_ABSENT_0, MEMBER_AT_LEAST(0)),
    SAMPLING("sample_time_ns", sample_time_ns, "Least length of a sample.", MEMBER_WRITTEN),
    SAMPLING("stabilize_ns", stabilize_ns, "Least time of stabilization.", MEMBER_WRITTEN,
             .former = "settle_ns"),
    SAMPLING("case_budget_ns", case_budget_ns, "Sampling of one problem stops after this.", MEMBER_WRITTEN),
    SAMPLING("busy_pct", limits.busy_pct,
             "What others might take of our processors; absent: no limit was given.", MEMBER_ABSENT_0,
             MEMBER_FROM_TO(0, 100)),
    {.key = "has_normal_priority",
     .type = MEMBER_BOOL,
     MEMBER_PLACE(struct sampling, limits.priority),
     .sentence = "Timed processes ran as any other."},
    MEMBER_NAMED(struct sampling, "metric", metric, metric_names, "What was measured of a launch.",
                 MEMBER_ZERO_NAMED),
    MEMBER_NAMED(struct sampling, "cache_mode", cache_mode, cache_mode_names, "State of the caches.",
                 MEMBER_WRITTEN),
    MEMBER_NAMED(struct sampling, "power_mode", power_mode, power_mode_names, "Power mode.",
                 .former = "regime"),
    MEMBER_NAMED(struct sampling, "isolation", isolation, isolation_names,
                 "Whether each kernel ran in a process of its own."),
    {.key = "fresh_interpreter",
     .type = MEMBER_BOOL,
     MEMBER_PLACE(struct sampling, is_interpreter_fresh),
     .sentence = "Each kernel in Python had an interpreter that imported everything anew."},
    SAMPLING("locked_clock_mhz", locked_clock_mhz, "The clock that the device was held at; absent: none."),
};
const struct member_table sampling_members =
    MEMBER_TABLE(struct sampling, "sampling", sampling_list, .check = sampling_check,
                 .sentence = "The settings of the measurement.");

void sampling_write(struct json_writer *w, const char *key, const struct sampling *sampling) {
    if (sampling->cache_mode != CACHE_INVALID)
        members_write_object(w, key, &sampling_members, sampling, NULL);
}

int sampling_find(const struct json_at *at, const char *key, struct sampling *ret, struct err *err) {
    const json_t *value = NULL;
    struct field_place place;
    *ret = sampling_default();
    TRY(json_find_object(at, key, &value, err));
    if (!value) return 0;
    field_enter(&place, at, key, value);
    TRY(members_read(&place.at, &sampling_members, NULL, ret, NULL, err));
    return 1;
}

#define SIDE(m, sentence) MEMBER(struct work_side, #m, m, sentence)
static const struct member side_list[] = {
    SIDE(label, "As in reports."),
    SIDE(module_path, "Its module; absent: linked in."),
    SIDE(module_hash, "SHA-256 of the module's file."),
    SIDE(kernel_name, "Inside the module."),
    SIDE(is_plain_call, "A C function, called by its signature: it gets no `parallel_for`."),
    SIDE(config, "`BLOCK_M=64`."),
    MEMBER_POINTER(struct work_side, "sim", sim, &sim_kernel_members, "Script of a simulated kernel."),
    MEMBER_POINTER(struct work_side, "tolerance", tolerance, &own_tolerance_members, "The kernel's own."),
    SIDE(op, "Operator."),
    SIDE(python, "`module:function`."),
    SIDE(python_path, "Folder that it is imported from."),
    SIDE(python_interpreter, "Interpreter."),
    SIDE(python_bridge, "The program that it runs."),
    SIDE(python_library, "The library that that loads."),
    SIDE(python_tree, "The work tree of its revision; absent: it is the working tree's."),
    SIDE(python_mode, "Of a reference: in which types it computes."),
    SIDE(python_device, "Of a reference: the device that may compute large problems."),
    SIDE(cache_dir, "What compilers have made of it."),
    SIDE(output_fd, "Descriptor that its process prints to."),
};
static const struct member_table side_members = MEMBER_TABLE(struct work_side, "work_side", side_list, );

#define CASE(k, m, ...) MEMBER(struct work_case, k, m, __VA_ARGS__)
static const struct member case_list[] = {
    CASE("index", index, "Its number in the plan.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    CASE("problem", problem, "The problem's name.", MEMBER_REQUIRED),
    CASE("short_name", short_name, "`s512`."),
    CASE("distribution", distribution, "Input distribution.", .former = "family"),
    MEMBER_NAMED(struct work_case, "memory_layout", memory_layout, memory_layout_names, "Memory layout.",
                 .former = "placement"),
    MEMBER_POINTER(struct work_case, "tolerance", tolerance, &own_tolerance_members, "Its suite's."),
    CASE("seed", seed, "Of the inputs.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    CASE("side_mask", side_mask, "Bit k: side k takes part.", MEMBER_REQUIRED | MEMBER_WRITTEN),
};
static const struct member_table case_members = MEMBER_TABLE(struct work_case, "work_case", case_list, );

static void order_sampling_write(struct json_writer *w, const struct member *member, const void *object,
                                 const void *context) {
    (void)context;
    sampling_write(w, member->key, &((const struct work_order *)object)->sampling);
}

static int order_sampling_read(const struct json_at *at, const struct member *member, struct arena *arena,
                               void *object, void *context, struct err *err) {
    (void)arena, (void)context;
    return sampling_find(at, member->key, &((struct work_order *)object)->sampling, err);
}

static int order_check(const struct json_at *at, const void *object, struct err *err) {
    const struct work_order *order = object;
    for (size_t i = 0; i < order->case_count; ++i) {
        const uint32_t mask = order->cases[i].side_mask;
        const bool needs_none = order->side_count == 0 || order->cases[i].index & WORK_CASE_REFERENCE;
        const bool has_none = needs_none && mask == 0; // an audit needs no kernel
        if (has_none || (mask != 0 && mask >> order->side_count == 0)) continue;
        return err_set(err, ERR_DATA,
                       "%s: cases[%zu]: side_mask %lu names no side, or one of more than the %zu there are",
                       at->where, i, (unsigned long)mask, order->side_count);
    }
    return 0;
}

#define ORDER(m, ...) MEMBER(struct work_order, #m, m, __VA_ARGS__)
static const struct member order_list[] = {
    MEMBER_NAMED(struct work_order, "kind", kind, work_kind_names, "What to do.",
                 MEMBER_REQUIRED | MEMBER_WRITTEN),
    ORDER(device, "`cpu`, `cuda:0`, `sim:steady`; absent: `cpu`."),
    MEMBER_POINTER(struct work_order, "sim", sim, &sim_device_members, "Script of a simulated device."),
    ORDER(thread_count, "Threads; 0: as many as processors that it may use.", MEMBER_WRITTEN),
    ORDER(processors, "Where they run: `0-3,6`."),
    ORDER(round, "Number of the round; repeated in every record.", MEMBER_WRITTEN),
    ORDER(attempt, "Repetition of the round; repeated in every record.", MEMBER_WRITTEN),
    ORDER(seed, "Of the run.", MEMBER_WRITTEN),
    ORDER(is_first_side_flipped,
          "The last side starts, is checked and is timed first: alternates between rounds.", MEMBER_WRITTEN),
    ORDER(lock_clocks, "Of `lock`: `base`, `max` or a number of MHz, until nobody reads the records."),
    ORDER(reference_dir, "Cache of float64 results."),
    ORDER(program, "assay's own, where a worker in Python starts hosts."),
    ORDER(scratch_dir, "Where hosts may write ([sandbox.md](sandbox.md))."),
    ORDER(may_lack_sandbox, "Hosts start where calls cannot be filtered."),
    ORDER(repeat_count, "Launches whose outputs must be equal.", MEMBER_WRITTEN),
    ORDER(launch_count, "Of `count`, in a worker that runs in callgrind: launches of its side and case."),
    MEMBER_STRINGS(struct work_order, "counters", counters, counter_count, WORK_COUNTERS_MAX,
                   "Events of the hardware to be counted."),
    MEMBER_OPERATORS(struct work_order),
    {.key = "sides",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct work_order, sides),
     MEMBER_COUNT(struct work_order, side_count),
     .table = &side_members,
     .is_inline = true,
     .limit = WORK_SIDES_MAX,
     .flags = MEMBER_WRITTEN,
     .sentence = "Kernels."},
    MEMBER_LIST(struct work_order, "cases", cases, case_count, &case_members, WORK_CASES_MAX, "Problems.",
                MEMBER_WRITTEN),
    MEMBER_WITH("sampling", order_sampling_write, order_sampling_read, "Settings of the measurement.",
                .table = &sampling_members),
    MEMBER_STRUCT(struct work_order, "limits", sampling.limits, &run_limits_members,
                  "Those of the manifest ([manifest.md](manifest.md#limits)), or the command line's."),
};
const struct member_table work_order_members =
    MEMBER_TABLE(struct work_order, "work_order", order_list, .check = order_check);

void work_order_find_tolerances(const struct work_order *order, const struct work_case *item,
                                const struct own_tolerance *ret[WORK_SIDES_MAX]) {
    for (size_t i = 0; i < WORK_SIDES_MAX; ++i)
        ret[i] = own_tolerance_choose(NULL, i < order->side_count ? order->sides[i].tolerance : NULL,
                                      item->tolerance);
}

void work_order_write(const struct work_order *order, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "schema", WORK_ORDER_SCHEMA);
    members_write(&w, &work_order_members, order, NULL);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int order_parse(const struct json_at *at, struct arena *arena, struct work_order *ret,
                       struct err *err) {
    struct work_order order = {0};
    TRY(field_check_version(at, "schema", WORK_ORDER_SCHEMA, err));
    TRY(members_read(at, &work_order_members, arena, &order, NULL, err));
    for (size_t i = 0; i < order.case_count; ++i) {
        struct work_case *item = &order.cases[i];
        TRY(field_bind_problem(at, "cases", i, &order.operators, &item->problem, err));
        if (!item->distribution) item->distribution = OP_DISTRIBUTION_DEFAULT;
        if (!item->memory_layout) item->memory_layout = MEMORY_LAYOUT_DENSE;
    }
    *ret = order;
    return 0;
}

int work_order_parse(const char *text, size_t length, struct arena *arena, struct work_order *ret,
                     struct err *err) {
    json_t *root = NULL;
    TRY(json_read_text(text, length, "work order", &root, err));
    const struct json_at at = {.value = root, .where = "work order"};
    int result = order_parse(&at, arena, ret, err);
    json_decref(root);
    return result;
}
