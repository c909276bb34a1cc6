// SPDX-License-Identifier: Apache-2.0
//
// Workloads of a definition: a line of JSON each, with the sizes of free axes, and where each input is from.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "control/plan/dataset/dataset.h"

#define SHORT_NAME_MAX    64
#define WORKLOADS_MAX     4096 // of a definition
#define TOLERANCE_DEFAULT 0.01 // of the one of max_atol and max_rtol that a workload leaves out

struct reading {
    const struct dataset *dataset;
    struct dataset_operator *op;
    const char *file;     // of the workloads
    double smallest;      // product of the axes of the workload whose numbers are the defaults
    const char *defaults; // its numbers
    size_t capacity;
};

static const json_t *workload_of(const json_t *line) {
    const json_t *inner = json_object_get(line, "workload");
    return inner ? inner : line;
}

// ---- one of them ----

// Where a file of data lies: paths count from the set, or from a folder between it and the workloads; what
// stands before "blob/" is somebody else's.
static const char *find_data(struct arena *arena, const struct reading *reading, const char *path) {
    const char *blob = strstr(path, "blob/");
    const char *const forms[] = {path, blob ? blob : path};
    char *dir = path_dir(reading->file);
    const char *ret = NULL;
    while (!ret && str_starts(dir, reading->dataset->dir)) {
        for (int i = 0; i < 2 && !ret; ++i) {
            const char *whole = arena_format(arena, "%s/%s", dir, forms[i]);
            if (file_exists(whole)) ret = whole;
        }
        char *up = path_dir(dir);
        free(dir);
        dir = up;
    }
    free(dir);
    return ret ? ret : arena_format(arena, "%s/%s", reading->dataset->dir, path);
}

static int read_data(struct reading *reading, const struct json_at *at, struct definition_tensor *tensor,
                     struct dataset_workload *ret, struct err *err) {
    struct arena *arena = reading->dataset->arena;
    const char *path, *key;
    TRY(json_get_string(at, "path", &path, err));
    TRY(json_get_string(at, "tensor_key", &key, err));
    if (path_leads_out(path))
        return err_set(err, ERR_DATA, "%s: '%s' leads out of the set", at->where, str_shown(path).text);
    ret->data[ret->data_count++] =
        (struct dataset_data){(size_t)(tensor - reading->op->definition.tensors),
                              find_data(arena, reading, path), arena_strdup(arena, key)};
    tensor->is_made = true;
    return 0;
}

static int read_input(struct reading *reading, const struct json_at *at, struct definition_tensor *tensor,
                      struct dataset_workload *ret, struct err *err) {
    const char *type;
    TRY(json_get_string(at, "type", &type, err));
    if (str_equal(type, "random") || str_equal(type, "scalar")) return 0;
    if (tensor->is_scalar || tensor->is_output)
        return err_set(err, ERR_DATA, "%s: no input that is a tensor", at->where);
    if (str_equal(type, "safetensors")) return read_data(reading, at, tensor, ret, err);
    if (!str_equal(type, "custom"))
        return err_set(err, ERR_DATA, "%s: the type '%s' is none of random, scalar, safetensors and custom",
                       at->where, str_shown(type).text);
    if (!reading->op->definition.make_inputs)
        return err_set(err, ERR_DATA, "%s: the definition has no custom_inputs_entrypoint", at->where);
    tensor->is_made = true;
    return 0;
}

static int read_inputs(struct reading *reading, const json_t *inputs, struct dataset_workload *ret,
                       struct err *err) {
    struct arena *arena = reading->dataset->arena;
    const json_t *value;
    const char *name;
    ret->data = arena_array(arena, json_object_size(inputs), sizeof *ret->data);
    json_object_foreach(inputs, name, value) {
        const char *where = arena_format(arena, "workload '%s': input '%s'", ret->uuid, str_shown(name).text);
        struct definition_tensor *tensor = definition_tensor(&reading->op->definition, name);
        if (!tensor) return err_set(err, ERR_DATA, "%s is none of the definition", where);
        TRY(read_input(reading, &(struct json_at){value, where}, tensor, ret, err));
    }
    return 0;
}

// A set's own words become ours: a share that must pass, and the larger one of what may be.
static int read_tolerance(struct arena *arena, const json_t *tolerance, const char *where,
                          const struct own_tolerance **ret, struct err *err) {
    const struct json_at at = {tolerance, where};
    struct own_tolerance own = own_tolerance_unknown();
    double cap = NAN;
    TRY(json_find_double(&at, "max_atol", &own.atol, err));
    TRY(json_find_double(&at, "max_rtol", &own.rtol, err));
    TRY(json_find_double(&at, "required_match_ratio", &own.min_pass, err));
    TRY(json_find_double(&at, "required_matched_ratio", &own.min_pass, err));
    TRY(json_find_double(&at, "max_error_cap", &cap, err));
    if (own.min_pass < OWN_TOLERANCE_MIN_PASS_MIN || own.min_pass > 1 || own.rtol > OWN_TOLERANCE_RTOL_MAX ||
        own.atol > OWN_TOLERANCE_ATOL_MAX || own.atol < 0 || own.rtol < 0)
        return err_set(err, ERR_DATA,
                       "%s lets nearly everything pass: max_rtol is at most %g, the share that must pass at "
                       "least %g",
                       where, OWN_TOLERANCE_RTOL_MAX, OWN_TOLERANCE_MIN_PASS_MIN);
    if (isnan(own.atol) && isfinite(own.rtol)) own.atol = TOLERANCE_DEFAULT;
    if (isnan(own.rtol) && isfinite(own.atol)) own.rtol = TOLERANCE_DEFAULT;
    own.max_error = cap > 0 ? cap : NAN;
    if (!own_tolerance_asks(&own)) return 0;
    own.is_two_x_off = isfinite(own.atol) || isfinite(own.rtol);
    own.why = "the workload's own";
    *ret = own_tolerance_copy(arena, &own);
    return 0;
}

static double size_of(const json_t *axes) {
    const json_t *value;
    const char *name;
    double ret = 1;
    json_object_foreach(axes, name, value) ret *= json_number_value(value);
    return ret;
}

// NULL: there are none.
static const char *numbers_of(struct reading *reading, const json_t *workload) {
    struct strbuf text = {0};
    const json_t *value;
    const char *name;
    json_object_foreach(json_object_get(workload, "axes"), name, value)
        comma_addf(&text, "%s=%lld", name, (long long)json_integer_value(value));
    json_object_foreach(json_object_get(workload, "inputs"), name, value) {
        const json_t *number = json_object_get(value, "value");
        if (json_is_boolean(number))
            comma_addf(&text, "%s=%s", name, json_is_true(number) ? "True" : "False");
        else if (json_is_integer(number))
            comma_addf(&text, "%s=%lld", name, (long long)number->integer);
        else if (json_is_number(number))
            comma_addf(&text, "%s=%.17g", name, number->real);
    }
    const char *ret = text.length ? arena_strdup(reading->dataset->arena, text.text) : NULL;
    strbuf_fini(&text);
    return ret;
}

// The smallest workload is the default problem.
static int take_sizes(struct reading *reading, const json_t *axes, const char *numbers, const char *where,
                      struct err *err) {
    const double size = size_of(axes);
    const bool is_smallest = reading->smallest < 0 || size < reading->smallest;
    const json_t *value;
    const char *name;
    json_object_foreach(axes, name, value) {
        struct definition_axis *axis = definition_axis(&reading->op->definition, name);
        if (!axis || !json_is_integer(value))
            return err_set(err, ERR_DATA, "%s: '%s' is no axis of the definition with a whole number", where,
                           str_shown(name).text);
        if (is_smallest && axis->kind == AXIS_VAR && json_integer_value(value) >= 1)
            axis->size = arena_format(reading->dataset->arena, "%lld", (long long)json_integer_value(value));
    }
    if (!is_smallest) return 0;
    reading->smallest = size;
    reading->defaults = numbers;
    return 0;
}

static void take_scalars(const struct reading *reading) {
    struct definition *definition = &reading->op->definition;
    struct comma_item item;
    for (const char *at = reading->defaults; comma_next(&at, &item);)
        for (size_t i = 0; i < definition->scalar_count; ++i) {
            struct declared_scalar *scalar = &definition->scalars[i], parsed;
            const size_t length = strlen(scalar->name);
            if (length >= item.length || memcmp(item.text, scalar->name, length) != 0 ||
                item.text[length] != '=')
                continue;
            const char *value =
                arena_strndup(reading->dataset->arena, item.text + length + 1, item.length - length - 1);
            if (declared_scalar_parse(value, &parsed)) scalar->value = parsed.value;
        }
}

static struct dataset_workload *room_for_one(struct reading *reading) {
    struct dataset_operator *op = reading->op;
    if (op->workload_count == reading->capacity) {
        reading->capacity = reading->capacity ? 2 * reading->capacity : 16;
        struct dataset_workload *grown =
            arena_array(reading->dataset->arena, reading->capacity, sizeof *grown);
        for (size_t i = 0; i < op->workload_count; ++i) grown[i] = op->workloads[i];
        op->workloads = grown;
    }
    return &op->workloads[op->workload_count];
}

static int read_workload(struct reading *reading, const json_t *line, struct err *err) {
    struct arena *arena = reading->dataset->arena;
    const json_t *root = workload_of(line), *axes, *inputs, *tolerance = NULL;
    const struct json_at at = {root, "workload"};
    struct dataset_workload *ret = room_for_one(reading);
    struct strbuf text = {0};
    struct json_writer w = json_writer_make(&text, 0);
    *ret = (struct dataset_workload){0};
    TRY(json_get_string(&at, "uuid", &ret->uuid, err));
    ret->uuid = arena_strdup(arena, ret->uuid);
    const char *where = arena_format(arena, "workload '%s'", str_shown(ret->uuid).text);
    TRY(json_get_object(&at, "axes", &axes, err));
    TRY(json_get_object(&at, "inputs", &inputs, err));
    TRY(json_find_object(&at, "tolerance", &tolerance, err));
    TRY(read_inputs(reading, inputs, ret, err));
    if (tolerance)
        TRY(read_tolerance(arena, tolerance, arena_format(arena, "%s: its tolerance", where), &ret->tolerance,
                           err));
    json_write_value(&w, NULL, root);
    ret->text = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    ret->numbers = numbers_of(reading, root);
    TRY(take_sizes(reading, axes, ret->numbers, where, err));
    ++reading->op->workload_count;
    return 0;
}

// ---- all of them ----

static int read_lines(struct reading *reading, char *text, struct err *err) {
    size_t number = 0;
    for (char *line = text, *next; line && *line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        const size_t length = end ? (size_t)(end - line) : strlen(line);
        ++number;
        if (strspn(line, " \r\t") >= length) continue;
        const char *where = arena_format(reading->dataset->arena, "%s: line %zu", reading->file, number);
        json_t *root = NULL;
        if (reading->op->workload_count == WORKLOADS_MAX)
            return err_set(err, ERR_DATA, "%s: more than %d workloads", reading->file, WORKLOADS_MAX);
        TRY(json_read_text(line, length, where, &root, err));
        struct err why = {0};
        const int code = read_workload(reading, root, &why);
        json_decref(root);
        if (code < 0) return err_set(err, why.code, "%s: %s", where, why.text);
    }
    return 0;
}

// Whether its workloads are of that definition: by its name, or by the folder of both.
static bool is_of(const struct dataset_file *file, const struct dataset_file *definition) {
    if (file->kind != DATASET_WORKLOADS) return false;
    if (file->definition) return str_equal(file->definition, definition->name);
    char *a = path_dir(file->path), *b = path_dir(definition->path);
    const bool ret = str_equal(a, b);
    free(a);
    free(b);
    return ret;
}

int dataset_read_workloads(const struct dataset *dataset, const struct dataset_file *file,
                           struct dataset_operator *ret, struct err *err) {
    struct reading reading = {.dataset = dataset, .op = ret, .smallest = -1};
    for (size_t i = 0; i < dataset->file_count; ++i) {
        if (!is_of(&dataset->files[i], file)) continue;
        char *text;
        size_t length;
        reading.file = dataset->files[i].path;
        TRY(file_read(reading.file, JSON_DOCUMENT_BYTES_MAX, &text, &length, err));
        const int code = read_lines(&reading, text, err);
        free(text);
        if (code < 0) return code;
    }
    TRY(definition_derive(dataset->arena, &ret->definition, err));
    take_scalars(&reading);
    return 0;
}

// ---- their problems ----

// What follows from the other axes must be as the workload says.
static int check_derived(const struct problem *problem, const char *name, const char *value,
                         struct err *err) {
    struct problem_abi abi;
    problem_describe(problem, MEMORY_LAYOUT_DENSE, &abi);
    for (uint32_t i = 0; i < abi.problem.axis_count; ++i)
        if (str_equal(abi.scalars[i].name, name) && abi.scalars[i].value != strtod(value, NULL))
            return err_set(err, ERR_DATA, "%s is %s, and follows from the other axes as %.0f", name, value,
                           abi.scalars[i].value);
    return 0;
}

static bool is_field(const struct dataset_operator *op, const char *name) {
    const struct definition_axis *axis = definition_axis(&op->definition, name);
    const struct definition_tensor *tensor = definition_tensor(&op->definition, name);
    return axis ? !axis->is_derived : tensor && tensor->is_scalar;
}

static int name_problem(struct arena *arena, const struct dataset_operator *op,
                        struct dataset_workload *workload, struct err *err) {
    const struct operator_set set = {&op->op, 1};
    struct strbuf text = {0};
    struct problem problem;
    struct comma_item item;
    strbuf_add(&text, op->op->name);
    for (const char *at = workload->numbers; comma_next(&at, &item);) {
        const char *name = arena_strndup(arena, item.text, (size_t)(strchr(item.text, '=') - item.text));
        const struct definition_axis *axis = definition_axis(&op->definition, name);
        const char *value = item.text + strlen(name) + 1;
        if (is_field(op, name))
            strbuf_addf(&text, "/%s%.*s", axis ? axis->stands : name, (int)(item.text + item.length - value),
                        value);
    }
    int code = problem_parse(&set, strbuf_text(&text), &problem, err);
    strbuf_fini(&text);
    for (const char *at = workload->numbers; code == 0 && comma_next(&at, &item);) {
        const char *whole = arena_strndup(arena, item.text, item.length), *sign = strchr(whole, '=');
        code = check_derived(&problem, arena_strndup(arena, whole, (size_t)(sign - whole)), sign + 1, err);
    }
    for (size_t i = 0; code == 0 && i < workload->data_count; ++i)
        if (!file_exists(workload->data[i].path))
            code = err_set(err, ERR_NO_INPUT, "%s: there is no such file", workload->data[i].path);
    if (code == 0) workload->problem = arena_strdup(arena, problem.name);
    return code;
}

void dataset_name_workloads(const struct dataset *dataset, struct dataset_operator *op) {
    size_t kept = 0;
    for (size_t i = 0; i < op->workload_count; ++i) {
        struct dataset_workload *workload = &op->workloads[i];
        struct err why = {0};
        if (name_problem(dataset->arena, op, workload, &why) == 0) {
            op->workloads[kept++] = *workload;
        } else if (op->unusable_count++ == 0) {
            op->unusable = arena_format(dataset->arena, "workload '%s': %s", workload->uuid, why.text);
        }
    }
    op->workload_count = kept;
}

const char *dataset_short_name(struct arena *arena, const struct dataset_operator *op, size_t workload) {
    const char *uuid = op->workloads[workload].uuid;
    size_t length = strcspn(uuid, "-");
    for (size_t i = 0; i < op->workload_count; ++i)
        while (i != workload && uuid[length] && strncmp(op->workloads[i].uuid, uuid, length) == 0) ++length;
    char *ret = arena_strndup(arena, uuid, length < SHORT_NAME_MAX ? length : SHORT_NAME_MAX);
    for (char *c = ret; *c; ++c)
        if (!isalnum((unsigned char)*c) && !strchr("_.-", *c)) *c = '_';
    return ret;
}
