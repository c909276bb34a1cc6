// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads a work order: one JSON document from control to a worker, with every size bounded.
// control/plan/ makes orders, worker/order/ carries them out.
#include "record/work_order.h"

#include <string.h>

#include "record/field.h"
#include "record/samples.h"

enum { WORK_CASES_MAX = 1 << 16 };

static const char *const work_kind_names[WORK_KIND_COUNT] = {
    [WORK_INVALID] = "invalid",   [WORK_DESCRIBE] = "describe", [WORK_DEVICES] = "devices",
    [WORK_CEILINGS] = "ceilings", [WORK_CHECK] = "check",       [WORK_ROUND] = "round",
    [WORK_AUDIT] = "audit",       [WORK_COUNT] = "count",       [WORK_LOCK] = "lock",
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

const char *work_kind_name(enum work_kind kind) {
    return (unsigned)kind < WORK_KIND_COUNT ? work_kind_names[kind] : "invalid";
}

enum work_kind work_kind_parse(const char *name) {
    for (int i = 1; i < WORK_KIND_COUNT; ++i) {
        if (name && strcmp(work_kind_names[i], name) == 0) return (enum work_kind)i;
    }
    return WORK_INVALID;
}

const char *cache_mode_name(enum cache_mode mode) {
    return (unsigned)mode < CACHE_COUNT ? cache_mode_names[mode] : "invalid";
}

enum cache_mode cache_mode_parse(const char *name) {
    for (int i = 1; i < CACHE_COUNT; ++i) {
        if (name && strcmp(cache_mode_names[i], name) == 0) return (enum cache_mode)i;
    }
    return CACHE_INVALID;
}

const char *power_mode_name(enum power_mode power_mode) {
    return (unsigned)power_mode < POWER_MODE_COUNT ? power_mode_names[power_mode] : "invalid";
}

enum power_mode power_mode_parse(const char *name) {
    for (int i = 1; i < POWER_MODE_COUNT; ++i) {
        if (name && strcmp(power_mode_names[i], name) == 0) return (enum power_mode)i;
    }
    return POWER_MODE_INVALID;
}

static const char *const isolation_names[ISOLATION_COUNT] = {
    [ISOLATION_INVALID] = "", [ISOLATION_NONE] = "none", [ISOLATION_PROCESS] = "process"};

const char *isolation_name(enum isolation isolation) {
    return (unsigned)isolation < ISOLATION_COUNT ? isolation_names[isolation] : "";
}

enum isolation isolation_parse(const char *name) {
    for (int i = 1; i < ISOLATION_COUNT; ++i)
        if (name && strcmp(isolation_names[i], name) == 0) return (enum isolation)i;
    return ISOLATION_INVALID;
}

struct sampling sampling_default(void) {
    return (struct sampling){
        .sample_count = 100,
        .warmup_count = 20,
        .sample_time_ns = 1000000,
        .stabilize_ns = 200000000,
        .case_budget_ns = 30000000000u, // half of the default limit of a case
        .cache_mode = CACHE_ROTATE,
        .power_mode = POWER_MODE_COOL,
    };
}

void sampling_write(struct json_writer *w, const char *key, const struct sampling *sampling) {
    json_object_begin(w, key);
    json_write_u64(w, "sample_count", sampling->sample_count);
    json_write_u64(w, "sample_count_noisy", sampling->sample_count_noisy);
    json_write_u64(w, "sample_count_noisier", sampling->sample_count_noisier);
    json_write_u64(w, "warmup_count", sampling->warmup_count);
    json_write_double(w, "until_pct", sampling->until_pct);
    json_write_u64(w, "sample_time_ns", sampling->sample_time_ns);
    json_write_u64(w, "settle_ns", sampling->stabilize_ns);
    json_write_u64(w, "case_budget_ns", sampling->case_budget_ns);
    if (sampling->busy_pct > 0) json_write_double(w, "busy_pct", sampling->busy_pct);
    if (sampling->has_normal_priority) json_write_bool(w, "has_normal_priority", true);
    if (sampling->metric != METRIC_TIME) json_write_string(w, "metric", metric_name(sampling->metric));
    json_write_string(w, "cache_mode", cache_mode_name(sampling->cache_mode));
    if (sampling->power_mode != POWER_MODE_INVALID)
        json_write_string(w, "regime", power_mode_name(sampling->power_mode));
    if (sampling->isolation != ISOLATION_INVALID)
        json_write_string(w, "isolation", isolation_name(sampling->isolation));
    if (sampling->locked_clock_mhz > 0) json_write_u64(w, "locked_clock_mhz", sampling->locked_clock_mhz);
    json_object_end(w);
}

int sampling_parse(const struct json_at *at, struct sampling *ret, struct err *err) {
    struct sampling sampling = sampling_default();
    const char *cache_mode = NULL, *power_mode = NULL, *isolation = NULL, *metric = NULL;
    TRY(field_find_u32(at, "sample_count", &sampling.sample_count, err));
    TRY(field_find_u32(at, "sample_count_noisy", &sampling.sample_count_noisy, err));
    TRY(field_find_u32(at, "sample_count_noisier", &sampling.sample_count_noisier, err));
    TRY(field_find_u32(at, "warmup_count", &sampling.warmup_count, err));
    TRY(field_find_double(at, "until_pct", 0, &sampling.until_pct, err));
    TRY(json_find_u64(at, "sample_time_ns", &sampling.sample_time_ns, err));
    TRY(json_find_u64(at, "settle_ns", &sampling.stabilize_ns, err));
    TRY(json_find_u64(at, "case_budget_ns", &sampling.case_budget_ns, err));
    TRY(field_find_double(at, "busy_pct", 0, &sampling.busy_pct, err));
    TRY(json_find_bool(at, "has_normal_priority", &sampling.has_normal_priority, err));
    TRY(json_find_string(at, "metric", &metric, err));
    if (metric) sampling.metric = metric_parse(metric);
    if (sampling.metric == METRIC_COUNT) return field_refuse_name(at, "metric", metric, err);
    TRY(json_find_string(at, "cache_mode", &cache_mode, err));
    if (cache_mode) {
        sampling.cache_mode = cache_mode_parse(cache_mode);
        if (sampling.cache_mode == CACHE_INVALID) return field_refuse_name(at, "cache_mode", cache_mode, err);
    }
    TRY(json_find_string(at, "regime", &power_mode, err));
    if (power_mode) {
        sampling.power_mode = power_mode_parse(power_mode);
        if (sampling.power_mode == POWER_MODE_INVALID)
            return field_refuse_name(at, "regime", power_mode, err);
    }
    TRY(json_find_string(at, "isolation", &isolation, err));
    if (isolation) {
        sampling.isolation = isolation_parse(isolation);
        if (sampling.isolation == ISOLATION_INVALID)
            return field_refuse_name(at, "isolation", isolation, err);
    }
    TRY(field_find_u32(at, "locked_clock_mhz", &sampling.locked_clock_mhz, err));
    const uint32_t most = (uint32_t)SAMPLES_COUNT_MAX / 2;
    if (sampling.sample_count > most || sampling.sample_count_noisy > most ||
        sampling.sample_count_noisier > most) {
        return err_set(err, ERR_DATA, "%s: at most %lu samples a side are possible", at->where,
                       (unsigned long)most);
    }
    *ret = sampling;
    return 0;
}

static void side_write(struct json_writer *w, const struct work_side *side) {
    json_object_begin(w, NULL);
    json_maybe_string(w, "label", side->label);
    json_maybe_string(w, "module_path", side->module_path);
    json_maybe_string(w, "module_hash", side->module_hash);
    json_maybe_string(w, "kernel_name", side->kernel_name);
    json_maybe_string(w, "config", side->config);
    sim_kernel_write(w, "sim", side->sim);
    json_maybe_string(w, "op", side->op);
    json_maybe_string(w, "python", side->python);
    json_maybe_string(w, "python_path", side->python_path);
    json_maybe_string(w, "python_interpreter", side->python_interpreter);
    json_maybe_string(w, "python_bridge", side->python_bridge);
    json_maybe_string(w, "python_library", side->python_library);
    json_object_end(w);
}

static void case_write(struct json_writer *w, const struct work_case *item) {
    json_object_begin(w, NULL);
    json_write_u64(w, "index", item->index);
    json_write_string(w, "problem", item->problem.name);
    json_maybe_string(w, "short_name", item->short_name);
    json_maybe_string(w, "family", item->distribution);
    json_write_string(w, "placement", memory_layout_name(item->memory_layout));
    json_write_u64(w, "seed", item->seed);
    json_write_u64(w, "side_mask", item->side_mask);
    json_object_end(w);
}

void work_order_write(const struct work_order *order, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 0);
    json_object_begin(&w, NULL);
    json_write_u64(&w, "schema", WORK_ORDER_SCHEMA);
    json_write_string(&w, "kind", work_kind_name(order->kind));
    json_maybe_string(&w, "device", order->device);
    sim_device_write(&w, "sim", order->sim);
    json_write_u64(&w, "thread_count", order->thread_count);
    json_maybe_string(&w, "processors", order->processors);
    if (order->memory_limit_bytes) json_write_u64(&w, "memory_limit_bytes", order->memory_limit_bytes);
    json_write_u64(&w, "round", order->round);
    json_write_u64(&w, "attempt", order->attempt);
    json_write_u64(&w, "seed", order->seed);
    json_write_bool(&w, "is_first_side_flipped", order->is_first_side_flipped);
    json_maybe_string(&w, "lock_clocks", order->lock_clocks);
    json_maybe_string(&w, "reference_dir", order->reference_dir);
    json_maybe_string(&w, "scratch_dir", order->scratch_dir);
    if (order->may_lack_sandbox) json_write_bool(&w, "may_lack_sandbox", true);
    json_write_u64(&w, "repeat_count", order->repeat_count);
    if (order->launch_count) json_write_u64(&w, "launch_count", order->launch_count);
    json_array_begin(&w, "sides");
    for (size_t i = 0; i < order->side_count; ++i) side_write(&w, &order->sides[i]);
    json_array_end(&w);
    json_array_begin(&w, "cases");
    for (size_t i = 0; i < order->case_count; ++i) case_write(&w, &order->cases[i]);
    json_array_end(&w);
    if (order->sampling.cache_mode != CACHE_INVALID) sampling_write(&w, "sampling", &order->sampling);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}

static int sides_parse(const struct json_at *at, struct arena *arena, struct work_order *order,
                       struct err *err) {
    const json_t *sides = NULL;
    TRY(field_find_items(at, "sides", WORK_SIDES_MAX, &sides, &order->side_count, err));
    for (size_t i = 0; i < order->side_count; ++i) {
        struct work_side *side = &order->sides[i];
        struct field_place place;
        field_enter_item(&place, at, "sides", i, json_array_get(sides, i));
        TRY(field_find_text(&place.at, "label", arena, &side->label, err));
        TRY(field_find_text(&place.at, "module_path", arena, &side->module_path, err));
        TRY(field_find_text(&place.at, "module_hash", arena, &side->module_hash, err));
        TRY(field_find_text(&place.at, "kernel_name", arena, &side->kernel_name, err));
        TRY(field_find_text(&place.at, "config", arena, &side->config, err));
        TRY(sim_kernel_find(&place.at, "sim", arena, &side->sim, err));
        TRY(field_find_text(&place.at, "op", arena, &side->op, err));
        TRY(field_find_text(&place.at, "python", arena, &side->python, err));
        TRY(field_find_text(&place.at, "python_path", arena, &side->python_path, err));
        TRY(field_find_text(&place.at, "python_interpreter", arena, &side->python_interpreter, err));
        TRY(field_find_text(&place.at, "python_bridge", arena, &side->python_bridge, err));
        TRY(field_find_text(&place.at, "python_library", arena, &side->python_library, err));
    }
    return 0;
}

static int case_parse(const struct json_at *at, struct arena *arena, size_t side_count, struct work_case *ret,
                      struct err *err) {
    TRY(field_get_u32(at, "index", &ret->index, err));
    TRY(field_get_problem(at, "problem", &ret->problem, err));
    TRY(field_find_text(at, "short_name", arena, &ret->short_name, err));
    ret->distribution = OP_DISTRIBUTION_DEFAULT;
    ret->memory_layout = MEMORY_LAYOUT_DENSE;
    TRY(field_find_text(at, "family", arena, &ret->distribution, err));
    TRY(field_find_memory_layout(at, "placement", &ret->memory_layout, err));
    TRY(json_get_u64(at, "seed", &ret->seed, err));
    TRY(field_get_u32(at, "side_mask", &ret->side_mask, err));
    const bool has_none = side_count == 0 && ret->side_mask == 0; // an audit needs no kernel
    if (!has_none && (ret->side_mask == 0 || ret->side_mask >> side_count != 0)) {
        return err_set(err, ERR_DATA,
                       "%s: side_mask %lu names no side, or one of more than the %zu there are", at->where,
                       (unsigned long)ret->side_mask, side_count);
    }
    return 0;
}

static int cases_parse(const struct json_at *at, struct arena *arena, struct work_order *order,
                       struct err *err) {
    const json_t *cases = NULL;
    TRY(field_find_items(at, "cases", WORK_CASES_MAX, &cases, &order->case_count, err));
    order->cases = arena_array(arena, order->case_count, sizeof *order->cases);
    for (size_t i = 0; i < order->case_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "cases", i, json_array_get(cases, i));
        TRY(case_parse(&place.at, arena, order->side_count, &order->cases[i], err));
    }
    return 0;
}

static int order_parse(const struct json_at *at, struct arena *arena, struct work_order *ret,
                       struct err *err) {
    struct work_order order = {.sampling = sampling_default()};
    const char *kind = NULL;
    const json_t *sampling = NULL;
    TRY(field_check_version(at, "schema", WORK_ORDER_SCHEMA, err));
    TRY(json_get_string(at, "kind", &kind, err));
    order.kind = work_kind_parse(kind);
    if (order.kind == WORK_INVALID) return field_refuse_name(at, "kind", kind, err);
    TRY(field_find_text(at, "device", arena, &order.device, err));
    TRY(sim_device_find(at, "sim", arena, &order.sim, err));
    TRY(field_find_u32(at, "thread_count", &order.thread_count, err));
    TRY(field_find_text(at, "processors", arena, &order.processors, err));
    TRY(json_find_u64(at, "memory_limit_bytes", &order.memory_limit_bytes, err));
    TRY(field_find_u32(at, "round", &order.round, err));
    TRY(field_find_u32(at, "attempt", &order.attempt, err));
    TRY(json_find_u64(at, "seed", &order.seed, err));
    TRY(json_find_bool(at, "is_first_side_flipped", &order.is_first_side_flipped, err));
    TRY(field_find_text(at, "lock_clocks", arena, &order.lock_clocks, err));
    TRY(field_find_text(at, "reference_dir", arena, &order.reference_dir, err));
    TRY(field_find_text(at, "scratch_dir", arena, &order.scratch_dir, err));
    TRY(json_find_bool(at, "may_lack_sandbox", &order.may_lack_sandbox, err));
    TRY(field_find_u32(at, "repeat_count", &order.repeat_count, err));
    TRY(field_find_u32(at, "launch_count", &order.launch_count, err));
    TRY(sides_parse(at, arena, &order, err));
    TRY(cases_parse(at, arena, &order, err));
    TRY(json_find_object(at, "sampling", &sampling, err));
    if (sampling) {
        struct field_place place;
        field_enter(&place, at, "sampling", sampling);
        TRY(sampling_parse(&place.at, &order.sampling, err));
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
