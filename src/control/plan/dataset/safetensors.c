// SPDX-License-Identifier: Apache-2.0
//
// See safetensors.h.
#include "control/plan/dataset/safetensors.h"

#include <string.h>

#include "base/json.h"
#include "base/strbuf.h"
#include "op/dtype.h"

#define LENGTH_BYTES     8
#define HEADER_BYTES_MAX ((uint64_t)16 << 20)

static const struct {
    const char *name;
    int32_t dtype;
} types[] = {{"F64", ASSAY_FP64},      {"F32", ASSAY_FP32},         {"F16", ASSAY_FP16},
             {"BF16", ASSAY_BF16},     {"F8_E4M3", ASSAY_FP8_E4M3}, {"F8_E5M2", ASSAY_FP8_E5M2},
             {"F8_E8M0", ASSAY_E8M0},  {"I64", ASSAY_INT64},        {"I32", ASSAY_INT32},
             {"I16", ASSAY_INT16},     {"I8", ASSAY_INT8},          {"U8", ASSAY_UINT8},
             {"U8", ASSAY_FP4_E2M1X2}, {"F4", ASSAY_FP4_E2M1X2},    {"BOOL", ASSAY_BOOL}};

static bool is_type(const char *name, int32_t dtype) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
        if (types[i].dtype == dtype && str_equal(types[i].name, name)) return true;
    return false;
}

static bool has_shape(const json_t *shape, const struct safetensors_want *want) {
    if (!json_is_array(shape) || json_array_size(shape) != want->dim_count) return false;
    for (uint32_t i = 0; i < want->dim_count; ++i)
        if (json_integer_value(json_array_get(shape, i)) != want->shape[i]) return false;
    return true;
}

static size_t bytes_of(const struct safetensors_want *want) {
    size_t ret = dtype_bytes(want->dtype);
    for (uint32_t i = 0; i < want->dim_count; ++i) ret *= (size_t)want->shape[i]; // of a problem: no overflow
    return ret;
}

static int find(const json_t *root, const struct safetensors_bytes *data, const char *where,
                const struct safetensors_want *want, struct safetensors_bytes *ret, struct err *err) {
    const struct str_shown key = str_shown(want->key);
    const char *type = NULL;
    const json_t *tensor = json_object_get(root, want->key), *offsets;
    if (!json_is_object(tensor))
        return err_set(err, ERR_DATA, "%s: there is no tensor '%s'", where, key.text);
    const struct json_at at = {tensor, where};
    TRY(json_get_string(&at, "dtype", &type, err));
    TRY(json_get_array(&at, "data_offsets", &offsets, err));
    if (!is_type(type, want->dtype) || !has_shape(json_object_get(tensor, "shape"), want))
        return err_set(err, ERR_DATA,
                       "%s: '%s' has another type or shape than the definition and the workload say", where,
                       key.text);
    const int64_t begin = json_integer_value(json_array_get(offsets, 0)),
                  end = json_integer_value(json_array_get(offsets, 1));
    const size_t count = bytes_of(want);
    if (begin < 0 || end < begin || (uint64_t)end > data->count || (uint64_t)(end - begin) != count)
        return err_set(err, ERR_DATA, "%s: '%s' lies outside of the file, or in another number of bytes",
                       where, key.text);
    *ret = (struct safetensors_bytes){data->bytes + begin, count};
    return 0;
}

int safetensors_find(const struct safetensors_bytes *file, const char *where,
                     const struct safetensors_want *want, struct safetensors_bytes *ret, struct err *err) {
    uint64_t length = 0;
    json_t *root = NULL;
    for (int i = 0; i < LENGTH_BYTES && file->count >= LENGTH_BYTES; ++i)
        length |= (uint64_t)(unsigned char)file->bytes[i] << 8 * i;
    if (file->count < LENGTH_BYTES || length > file->count - LENGTH_BYTES || length > HEADER_BYTES_MAX)
        return err_set(err, ERR_DATA, "%s: no safetensors file: its header is longer than the file", where);
    const char *header = file->bytes + LENGTH_BYTES;
    TRY(json_read_text(header, (size_t)length, where, &root, err));
    const struct safetensors_bytes data = {header + length, file->count - LENGTH_BYTES - (size_t)length};
    const int code = find(root, &data, where, want, ret, err);
    json_decref(root);
    return code;
}
