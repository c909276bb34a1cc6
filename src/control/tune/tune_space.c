// SPDX-License-Identifier: Apache-2.0
//
// See tune_space.h.
#include "control/tune/tune_space.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/comma.h"
#include "control/plan/config_rule.h"

#define SETTINGS_MAX (3 * RECORD_PARAMS_MAX)

// ---- making it ----

static int compare_knobs(const void *a, const void *b) {
    return strcmp(((const struct tune_knob *)a)->name, ((const struct tune_knob *)b)->name);
}

static const struct kernel_param *find_param(const struct kernel_description *declared, const char *name) {
    for (size_t i = 0; declared && i < declared->param_count; ++i)
        if (str_equal(declared->params[i].name, name)) return &declared->params[i];
    return NULL;
}

static const struct manifest_knob *find_knob(const struct manifest_tune *tune, const char *name) {
    for (size_t i = 0; tune && i < tune->knob_count; ++i)
        if (str_equal(tune->knobs[i].name, name)) return &tune->knobs[i];
    return NULL;
}

static const struct manifest_setting *find_setting(const struct manifest_kernel *kernel, const char *name) {
    for (size_t i = 0; i < kernel->config_count; ++i)
        if (str_equal(kernel->config[i].name, name)) return &kernel->config[i];
    return NULL;
}

static int check_declared(const struct manifest_knob *knob, const struct kernel_param *param,
                          const char *kernel, struct err *err) {
    for (size_t i = 0; i < knob->value_count; ++i) {
        bool is_declared = param->value_count == 0; // any value
        for (size_t k = 0; k < param->value_count; ++k) is_declared |= param->values[k] == knob->values[i];
        if (!is_declared)
            return err_set(err, ERR_CONFIG,
                           "tune: kernel '%s' does not declare %s=%" PRId64 "; 'assay build --kernel %s "
                           "--config %s=%" PRId64 "' lists its values",
                           kernel, knob->name, knob->values[i], kernel, knob->name, knob->values[i]);
    }
    return 0;
}

static uint64_t distance(int64_t a, int64_t b) {
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

// value: the baseline's.
static void add_knob(struct tune_space *space, const char *name, const int64_t *values, size_t count,
                     int64_t value) {
    if (count < 2) {
        space->fixed[space->fixed_count++] = (struct manifest_setting){name, count ? values[0] : value};
        return;
    }
    struct tune_knob *knob = &space->knobs[space->knob_count++];
    *knob = (struct tune_knob){.name = name, .value_count = count};
    memcpy(knob->values, values, count * sizeof *values);
    manifest_sort_values(knob->values, count);
    for (size_t i = 1; i < count; ++i)
        if (distance(knob->values[i], value) < distance(knob->values[knob->start], value)) knob->start = i;
    space->is_start_exact &= knob->values[knob->start] == value;
}

// What the kernel declares, as far as the manifest allows it.
static int add_declared(struct tune_space *space, const struct kernel_description *declared,
                        const struct manifest_kernel *kernel, struct err *err) {
    for (size_t i = 0; declared && i < declared->param_count; ++i) {
        const struct kernel_param *param = &declared->params[i];
        const struct manifest_knob *wanted = find_knob(space->tune, param->name);
        const struct manifest_setting *set = find_setting(kernel, param->name);
        if (wanted) TRY(check_declared(wanted, param, kernel->name, err));
        add_knob(space, param->name, wanted ? wanted->values : param->values,
                 wanted ? wanted->value_count : param->value_count, set ? set->value : param->value);
    }
    return 0;
}

// What only the manifest names: knobs of a script, and settings that rules may name.
static int add_named(struct tune_space *space, const struct kernel_description *declared,
                     const struct manifest_kernel *kernel, struct err *err) {
    for (size_t i = 0; space->tune && i < space->tune->knob_count; ++i) {
        const struct manifest_knob *knob = &space->tune->knobs[i];
        if (find_param(declared, knob->name)) continue;
        if (declared) {
            struct strbuf known = {0};
            for (size_t k = 0; k < declared->param_count; ++k) comma_add(&known, declared->params[k].name);
            err_set(err, ERR_CONFIG, "tune: kernel '%s' declares no setting '%s'; it has %s", kernel->name,
                    knob->name, known.length ? strbuf_text(&known) : "none");
            strbuf_fini(&known);
            return -ERR_CONFIG;
        }
        add_knob(space, knob->name, knob->values, knob->value_count, knob->values[0]);
    }
    for (size_t i = 0; i < kernel->config_count && i < RECORD_PARAMS_MAX; ++i)
        if (!find_param(declared, kernel->config[i].name))
            space->fixed[space->fixed_count++] = kernel->config[i];
    return 0;
}

static size_t settings_of(const struct tune_space *space, const struct tune_point *point,
                          struct manifest_setting *ret) {
    size_t count = 0;
    for (size_t i = 0; i < space->knob_count; ++i)
        ret[count++] = (struct manifest_setting){space->knobs[i].name, space->knobs[i].values[point->at[i]]};
    memcpy(ret + count, space->fixed, space->fixed_count * sizeof *ret);
    return count + space->fixed_count;
}

int tune_space_make(const struct kernel_description *declared, const struct manifest_kernel *kernel,
                    struct tune_space *ret, struct err *err) {
    struct manifest_setting settings[SETTINGS_MAX];
    *ret = (struct tune_space){.tune = kernel->tune, .point_count = 1, .is_start_exact = true};
    TRY(add_declared(ret, declared, kernel, err));
    TRY(add_named(ret, declared, kernel, err));
    qsort(ret->knobs, ret->knob_count, sizeof *ret->knobs, compare_knobs);
    for (size_t i = 0; i < ret->knob_count; ++i)
        if (__builtin_mul_overflow(ret->point_count, ret->knobs[i].value_count, &ret->point_count))
            ret->point_count = UINT64_MAX;
    const struct tune_point start = tune_space_start(ret);
    const size_t count = settings_of(ret, &start, settings);
    for (size_t i = 0; ret->tune && i < ret->tune->rule_count; ++i) {
        bool holds;
        if (config_rule_holds(ret->tune->rules[i], settings, count, &holds, err) < 0)
            return err_prefix(err, "tune: rule of kernel '%s'", kernel->name);
    }
    return 0;
}

int tune_space_need_knobs(const struct tune_space *space, const char *kernel, struct err *err) {
    if (space->knob_count) return 0;
    return err_set(err, ERR_USAGE,
                   "kernel '%s' has nothing to tune: it declares no setting with two values or more, or the "
                   "manifest's 'tune' leaves one of each",
                   kernel);
}

// ---- points ----

struct tune_point tune_space_start(const struct tune_space *space) {
    struct tune_point ret = {0};
    for (size_t i = 0; i < space->knob_count; ++i) ret.at[i] = (uint8_t)space->knobs[i].start;
    return ret;
}

struct tune_point tune_space_point(const struct tune_space *space, uint64_t number) {
    struct tune_point ret = {0};
    for (size_t i = space->knob_count; i-- > 0;) {
        ret.at[i] = (uint8_t)(number % space->knobs[i].value_count);
        number /= space->knobs[i].value_count;
    }
    return ret;
}

uint64_t tune_space_number(const struct tune_space *space, const struct tune_point *point) {
    uint64_t ret = 0;
    for (size_t i = 0; i < space->knob_count; ++i) ret = ret * space->knobs[i].value_count + point->at[i];
    return ret;
}

bool tune_point_is_equal(const struct tune_point *a, const struct tune_point *b) {
    return a->source == b->source && memcmp(a->at, b->at, sizeof a->at) == 0;
}

const char *tune_space_find_broken(const struct tune_space *space, const struct tune_point *point) {
    struct manifest_setting settings[SETTINGS_MAX];
    const size_t count = settings_of(space, point, settings);
    for (size_t i = 0; space->tune && i < space->tune->rule_count; ++i) {
        bool holds = false;
        config_rule_holds(space->tune->rules[i], settings, count, &holds, NULL);
        if (!holds) return space->tune->rules[i];
    }
    return NULL;
}

const char *tune_space_find_exceeded(const struct tune_space *space, const struct build_report *build,
                                     struct arena *arena) {
    if (!space->tune) return NULL;
    const struct {
        int64_t value;
        uint32_t limit;
        const char *what;
    } limits[] = {
        {build->shared_bytes, space->tune->shared_bytes_max, "bytes of shared memory"},
        {build->registers, space->tune->registers_max, "registers"},
        {build->spill_bytes, space->tune->spill_bytes_max, "bytes of spills"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i)
        if (limits[i].limit != MANIFEST_TUNE_NO_LIMIT && limits[i].value > (int64_t)limits[i].limit)
            return arena_format(arena, "%" PRId64 " %s; the manifest allows %u", limits[i].value,
                                limits[i].what, (unsigned)limits[i].limit);
    return NULL;
}

const char *tune_point_config(const struct tune_space *space, const struct tune_point *point,
                              struct arena *arena) {
    struct strbuf text = {0};
    for (size_t i = 0; i < space->knob_count; ++i)
        strbuf_addf(&text, "%s%s=%" PRId64, i ? "," : "", space->knobs[i].name,
                    space->knobs[i].values[point->at[i]]);
    const char *ret = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return ret;
}

const char *tune_point_text(const struct tune_space *space, const struct tune_point *point,
                            struct arena *arena) {
    const struct tune_point start = tune_space_start(space);
    const char *config = tune_point_config(space, point, arena);
    if (!point->source) return config;
    const bool is_as_before = memcmp(point->at, start.at, sizeof start.at) == 0;
    return arena_format(arena, "proposal=%u%s%s", (unsigned)point->source, is_as_before ? "" : ",",
                        is_as_before ? "" : config);
}

// The place of a value among a knob's; SIZE_MAX: it has none such.
static size_t find_value(const struct tune_knob *knob, const char *text) {
    long long value;
    if (str_parse_i64(text, &value) < 0) return SIZE_MAX;
    for (size_t i = 0; i < knob->value_count; ++i)
        if (knob->values[i] == value) return i;
    return SIZE_MAX;
}

static bool parse_setting(const struct tune_space *space, const char *text, struct tune_point *ret) {
    const char *equals = strchr(text, '=');
    for (size_t i = 0; equals && i < space->knob_count; ++i) {
        const struct tune_knob *knob = &space->knobs[i];
        if (strlen(knob->name) != (size_t)(equals - text) ||
            memcmp(knob->name, text, strlen(knob->name)) != 0)
            continue;
        const size_t at = find_value(knob, equals + 1);
        if (at == SIZE_MAX) return false;
        ret->at[i] = (uint8_t)at;
        return true;
    }
    return false;
}

bool tune_point_parse(const struct tune_space *space, const char *config, struct tune_point *ret) {
    struct tune_point point = tune_space_start(space);
    struct comma_item item;
    for (const char *at = config; comma_next(&at, &item);) {
        char text[96];
        snprintf(text, sizeof text, "%.*s", (int)(item.length < sizeof text ? item.length : 0), item.text);
        if (!parse_setting(space, text, &point)) return false;
    }
    *ret = point;
    return true;
}

// ---- scripts ----

static bool effect_holds(const struct manifest_effect *effect, const struct manifest_setting *settings,
                         size_t count) {
    for (size_t i = 0; i < effect->when_count; ++i) {
        bool holds = false;
        for (size_t k = 0; k < count; ++k)
            holds |= str_equal(settings[k].name, effect->when[i].name) &&
                     settings[k].value == effect->when[i].value;
        if (!holds) return false;
    }
    return true;
}

// Time is multiplied; whatever else the effect gives replaces what was there.
static void apply(const struct sim_kernel *effect, struct sim_kernel *script) {
    const struct sim_kernel plain = sim_kernel_plain("");
    script->slower_pct = 100 * ((1 + script->slower_pct / 100) * (1 + effect->slower_pct / 100) - 1);
    for (size_t i = 0; i < sim_kernel_members.count; ++i) {
        const struct member *member = &sim_kernel_members.members[i];
        const char *given = (const char *)effect + member->offset;
        const bool is_time = str_equal(member->key, "slower_pct"), is_name = str_equal(member->key, "name");
        if (is_time || is_name) continue;
        if (memcmp(given, (const char *)&plain + member->offset, member->bytes) != 0)
            memcpy((char *)script + member->offset, given, member->bytes);
    }
}

const struct sim_kernel *tune_space_script(const struct tune_space *space, const struct sim_kernel *script,
                                           const struct tune_point *point, struct arena *arena) {
    struct manifest_setting settings[SETTINGS_MAX];
    const size_t count = settings_of(space, point, settings);
    struct sim_kernel *ret = arena_alloc(arena, sizeof *ret);
    *ret = *script;
    for (size_t i = 0; space->tune && i < space->tune->effect_count; ++i)
        if (effect_holds(&space->tune->effects[i], settings, count)) apply(space->tune->effects[i].sim, ret);
    return ret;
}
