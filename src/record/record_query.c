// SPDX-License-Identifier: Apache-2.0
//
// Writes and reads answers about kernels and devices. Text from a module's author is cut to a
// bounded length.
#include "record/record_query.h"

#include "record/field.h"

static void values_write(struct json_writer *w, const struct member *member, const void *object,
                         const void *context) {
    const struct kernel_param *param = object;
    (void)context;
    json_array_begin(w, member->key);
    for (size_t i = 0; i < param->value_count && i < RECORD_PARAM_VALUES_MAX; ++i)
        json_write_i64(w, NULL, param->values[i]);
    json_array_end(w);
}

static int values_read(const struct json_at *at, const struct member *member, struct arena *arena,
                       void *object, void *context, struct err *err) {
    struct kernel_param *param = object;
    const json_t *values = NULL;
    (void)arena, (void)context;
    TRY(field_find_items(at, member->key, RECORD_PARAM_VALUES_MAX, &values, &param->value_count, err));
    for (size_t i = 0; i < param->value_count; ++i) {
        const json_t *value = json_array_get(values, i);
        if (!json_is_integer(value))
            return err_set(err, ERR_DATA, "%s: values[%zu] must be an integer", at->where, i);
        param->values[i] = json_integer_value(value);
    }
    return 0;
}

static const struct member param_list[] = {
    MEMBER(struct kernel_param, "name", name, "Name.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct kernel_param, "help", help, "What it does."),
    MEMBER(struct kernel_param, "value", value, "Its value.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER_WITH("values", values_write, values_read, "Values that it may have.",
                .schema = "{\"type\": \"array\", \"items\": {\"type\": \"integer\"}}"),
};
static const struct member_table param_members = MEMBER_TABLE(struct kernel_param, "param", param_list, );

static const struct member kernel_list[] = {
    MEMBER(struct kernel_description, "name", name, "Name in the module.", MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct kernel_description, "op", op, "Operator."),
    MEMBER(struct kernel_description, "backend", backend, "`cpu` or `cuda`."),
    MEMBER(struct kernel_description, "summary", summary, "A line."),
    MEMBER(struct kernel_description, "version", version, "Of the library behind a peer."),
    MEMBER(struct kernel_description, "abi_version", abi_version, "Of its module.", MEMBER_WRITTEN),
    {.key = "params",
     .type = MEMBER_ITEMS,
     MEMBER_PLACE(struct kernel_description, params),
     MEMBER_COUNT(struct kernel_description, param_count),
     .table = &param_members,
     .is_inline = true,
     .limit = RECORD_PARAMS_MAX,
     .flags = MEMBER_WRITTEN,
     .sentence = "What can be tuned."},
    MEMBER(struct kernel_description, "config_error", config_error,
           "Why the values asked about are refused."),
};
const struct member_table kernel_description_members =
    MEMBER_TABLE(struct kernel_description, "kernel", kernel_list, );

static const struct member device_list[] = {
    MEMBER(struct device_description, "backend", backend, "`cpu`, `cuda` or `sim`.", MEMBER_REQUIRED),
    MEMBER(struct device_description, "device", device, "Name for `--device`."),
    MEMBER(struct device_description, "name", name, "Model."),
    MEMBER(struct device_description, "uuid", uuid, "UUID."),
    MEMBER(struct device_description, "detail", detail, "What is missing, and why."),
    MEMBER(struct device_description, "is_available", is_available, "It can be used.",
           MEMBER_REQUIRED | MEMBER_WRITTEN),
    MEMBER(struct device_description, "isa", isa, "Instruction set."),
    MEMBER(struct device_description, "thread_count", thread_count, "Threads.", MEMBER_AT_LEAST(0)),
    MEMBER(struct device_description, "memory_bytes", memory_bytes, "Memory.", MEMBER_AT_LEAST(0)),
    MEMBER(struct device_description, "l2_bytes", l2_bytes, "Second level cache.", MEMBER_AT_LEAST(0)),
    MEMBER_STRUCT(struct device_description, "state", state, &device_state_members, "Now.", MEMBER_WRITTEN),
    MEMBER(struct device_description, "driver", driver, "Version."),
    MEMBER_STRUCT(struct device_description, "gpu", gpu, &gpu_facts_members, "Of a GPU."),
};
const struct member_table device_description_members =
    MEMBER_TABLE(struct device_description, "device", device_list, );
