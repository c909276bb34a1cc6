// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads answers about kernels, devices and ceilings. Text from a module's author is cut to a
// bounded length.
#include "record/record_query.h"

#include "record/field.h"

static void param_write(struct json_writer *w, const struct kernel_param *param) {
    json_object_begin(w, NULL);
    json_write_string(w, "name", param->name ? param->name : "");
    json_maybe_string(w, "help", param->help);
    json_write_i64(w, "value", param->value);
    json_array_begin(w, "values");
    for (size_t i = 0; i < param->value_count && i < RECORD_PARAM_VALUES_MAX; ++i) {
        json_write_i64(w, NULL, param->values[i]);
    }
    json_array_end(w);
    json_object_end(w);
}

void kernel_description_write(struct json_writer *w, const char *key,
                              const struct kernel_description *kernel) {
    json_object_begin(w, key);
    json_maybe_string(w, "name", kernel->name);
    json_maybe_string(w, "op", kernel->op);
    json_maybe_string(w, "backend", kernel->backend);
    json_maybe_string(w, "summary", kernel->summary);
    json_write_u64(w, "abi_version", kernel->abi_version);
    json_array_begin(w, "params");
    for (size_t i = 0; i < kernel->param_count && i < RECORD_PARAMS_MAX; ++i)
        param_write(w, &kernel->params[i]);
    json_array_end(w);
    json_maybe_string(w, "config_error", kernel->config_error);
    json_object_end(w);
}

static int param_parse(const struct json_at *at, struct arena *arena, struct kernel_param *ret,
                       struct err *err) {
    const json_t *values = NULL;
    TRY(field_get_text(at, "name", arena, &ret->name, err));
    TRY(field_find_text(at, "help", arena, &ret->help, err));
    TRY(json_get_i64(at, "value", &ret->value, err));
    TRY(field_find_items(at, "values", RECORD_PARAM_VALUES_MAX, &values, &ret->value_count, err));
    for (size_t i = 0; i < ret->value_count; ++i) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_integer(value))
            return err_set(err, ERR_DATA, "%s: values[%zu] must be an integer", at->where, i);
        ret->values[i] = json_integer_value(value);
    }
    return 0;
}

int kernel_description_parse(const struct json_at *at, struct arena *arena, struct kernel_description **ret,
                             struct err *err) {
    struct kernel_description *kernel = arena_alloc(arena, sizeof *kernel);
    const json_t *params = NULL;
    TRY(field_get_text(at, "name", arena, &kernel->name, err));
    TRY(field_find_text(at, "op", arena, &kernel->op, err));
    TRY(field_find_text(at, "backend", arena, &kernel->backend, err));
    TRY(field_find_text(at, "summary", arena, &kernel->summary, err));
    TRY(field_find_u32(at, "abi_version", &kernel->abi_version, err));
    TRY(field_find_items(at, "params", RECORD_PARAMS_MAX, &params, &kernel->param_count, err));
    for (size_t i = 0; i < kernel->param_count; ++i) {
        struct field_place place;
        field_enter_item(&place, at, "params", i, json_array_get(params, i));
        TRY(param_parse(&place.at, arena, &kernel->params[i], err));
    }
    TRY(field_find_text(at, "config_error", arena, &kernel->config_error, err));
    *ret = kernel;
    return 0;
}

void device_description_write(struct json_writer *w, const char *key,
                              const struct device_description *device) {
    json_object_begin(w, key);
    json_maybe_string(w, "backend", device->backend);
    json_maybe_string(w, "device", device->device);
    json_maybe_string(w, "name", device->name);
    json_maybe_string(w, "uuid", device->uuid);
    json_maybe_string(w, "detail", device->detail);
    json_write_bool(w, "is_available", device->is_available);
    json_maybe_string(w, "isa", device->isa);
    if (device->thread_count > 0) json_write_i64(w, "thread_count", device->thread_count);
    if (device->memory_bytes > 0) json_write_i64(w, "memory_bytes", device->memory_bytes);
    if (device->l2_bytes > 0) json_write_i64(w, "l2_bytes", device->l2_bytes);
    device_state_write(w, "state", &device->state);
    json_maybe_string(w, "driver", device->driver);
    if (gpu_facts_are_known(&device->gpu)) gpu_facts_write(w, "gpu", &device->gpu);
    json_object_end(w);
}

int device_description_parse(const struct json_at *at, struct arena *arena, struct device_description **ret,
                             struct err *err) {
    struct device_description *device = arena_alloc(arena, sizeof *device);
    const json_t *state = NULL, *gpu = NULL;
    device->state = device_state_unknown();
    TRY(field_get_text(at, "backend", arena, &device->backend, err));
    TRY(field_find_text(at, "device", arena, &device->device, err));
    TRY(field_find_text(at, "name", arena, &device->name, err));
    TRY(field_find_text(at, "uuid", arena, &device->uuid, err));
    TRY(field_find_text(at, "detail", arena, &device->detail, err));
    TRY(json_get_bool(at, "is_available", &device->is_available, err));
    TRY(field_find_text(at, "isa", arena, &device->isa, err));
    TRY(field_find_i64(at, "thread_count", 0, &device->thread_count, err));
    TRY(field_find_i64(at, "memory_bytes", 0, &device->memory_bytes, err));
    TRY(field_find_i64(at, "l2_bytes", 0, &device->l2_bytes, err));
    TRY(json_find_object(at, "state", &state, err));
    if (state) {
        struct field_place place;
        field_enter(&place, at, "state", state);
        TRY(device_state_parse(&place.at, &device->state, err));
    }
    TRY(field_find_text(at, "driver", arena, &device->driver, err));
    TRY(json_find_object(at, "gpu", &gpu, err));
    if (gpu) {
        struct field_place place;
        field_enter(&place, at, "gpu", gpu);
        TRY(gpu_facts_parse(&place.at, &device->gpu, err));
    }
    *ret = device;
    return 0;
}

void ceiling_write(struct json_writer *w, const char *key, const struct ceiling *ceiling) {
    json_object_begin(w, key);
    json_maybe_string(w, "name", ceiling->name);
    json_maybe_double(w, "value", ceiling->value);
    json_maybe_string(w, "detail", ceiling->detail);
    json_object_end(w);
}

int ceiling_parse(const struct json_at *at, struct arena *arena, struct ceiling *ret, struct err *err) {
    TRY(field_get_text(at, "name", arena, &ret->name, err));
    TRY(json_get_double(at, "value", &ret->value, err));
    TRY(field_find_text(at, "detail", arena, &ret->detail, err));
    if (!(ret->value > 0))
        return err_set(err, ERR_DATA, "%s: a ceiling must be positive, but is %g", at->where, ret->value);
    return 0;
}
