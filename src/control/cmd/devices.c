// SPDX-License-Identifier: Apache-2.0
//
// `assay devices`: backends, devices, SIMD level or architecture, clocks, limits, ceilings; what is missing
// and why; simulated devices.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/comma.h"
#include "base/json_writer.h"
#include "control/cmd/print_result.h"
#include "control/flow/ceilings.h"
#include "control/flow/device_lock.h"
#include "control/flow/session.h"
#include "control/flow/worker_query.h"
#include "control/plan/device_kind.h"
#include "control/plan/sim_shipped.h"

#define DEVICES_MAX 64

struct listing {
    struct strbuf text;
    struct json_writer *w;
    struct arena arena;
    bool color;
    size_t available_count;
    const char *only; // --device; NULL: all
};

// Goes on in that column; what it quotes becomes plain.
static void add_wrapped_line(struct strbuf *out, size_t column, const char *text) {
    struct strbuf plain = {0};
    strbuf_add_plain(&plain, text, true);
    term_add_wrapped(out, false, TERM_PLAIN, column, strbuf_text(&plain));
    strbuf_add_char(out, '\n');
    strbuf_fini(&plain);
}

__attribute__((format(printf, 3, 4))) static void add_factf(struct strbuf *out, const char *name,
                                                            const char *format, ...) {
    enum { VALUE_COLUMN = 20 };
    struct strbuf value = {0};
    strbuf_addf(out, "  %s", name);
    strbuf_pad(out, VALUE_COLUMN);
    va_list args;
    va_start(args, format);
    strbuf_addv(&value, format, args);
    va_end(args);
    add_wrapped_line(out, VALUE_COLUMN, strbuf_text(&value));
    strbuf_fini(&value);
}

static void add_fact(struct strbuf *out, const char *name, const char *value) {
    if (value && *value) add_factf(out, name, "%s", value);
}

static void add_number(struct strbuf *out, const char *name, double value, double divisor, const char *unit) {
    if (isfinite(value)) add_factf(out, name, "%.4g %s", value / divisor, unit);
}

static void add_bytes(struct strbuf *out, const char *name, int64_t bytes) {
    char text[32];
    if (bytes <= 0) return;
    term_format_bytes((double)bytes, text, sizeof text);
    add_fact(out, name, text);
}

static bool is_gpu(const struct device_description *device) {
    const struct device_kind *kind = device_kind_find(device->backend);
    return kind && kind->is_accelerator;
}

// Rows of the table of ceilings: every kind that was measured, in the order of their table.
static size_t add_ceiling_rows(struct term_table *rows, const struct ceiling_entry *entry,
                               struct arena *arena) {
    size_t count = 0;
    for (size_t k = 0; ceiling_kind_at(k); ++k) {
        const struct ceiling_kind *kind = ceiling_kind_at(k);
        for (size_t i = 0; i < entry->ceiling_count; ++i) {
            const struct ceiling *ceiling = &entry->ceilings[i];
            if (!str_equal(ceiling->name, kind->key)) continue;
            term_table_add(
                rows,
                (const char *[]){
                    arena_format(arena, "    %s", kind->label),
                    arena_format(arena, ceiling->value < 1000 ? "%.1f" : "%.0f", ceiling->value), kind->unit,
                    str_or(ceiling->power_mode, "both"),
                    ceiling->clock_hz > 0 ? arena_format(arena, "%.0f MHz", ceiling->clock_hz / 1e6) : "",
                    str_or(ceiling->measured_utc, ""), str_or(ceiling->detail, "")});
            ++count;
        }
    }
    return count;
}

static void add_ceilings(struct listing *listing, const struct device_description *device) {
    const struct ceiling_key key = {.device_uuid = device->uuid,
                                    .driver = device->driver,
                                    .thread_count = device->thread_count,
                                    .power_limit_w =
                                        device->gpu.power_limit_w > 0 ? device->gpu.power_limit_w : NAN};
    struct ceiling_entry entry = {0};
    size_t other_count = 0;
    if (device->uuid) entry = ceiling_store_find(&key, &listing->arena, &other_count);
    struct term_table *rows = term_table_new(7, "lrllrll");
    term_table_add(rows, (const char *[]){"    of", "rate", "", "power mode", "clock", "when", "how"});
    term_table_head(rows);
    if (add_ceiling_rows(rows, &entry, &listing->arena)) {
        add_fact(&listing->text, "ceilings", "the highest rates measured here so far");
        term_table_print(rows, listing->color, &listing->text);
        json_array_begin(listing->w, "ceilings");
        for (size_t i = 0; i < entry.ceiling_count; ++i)
            members_write_object(listing->w, NULL, &ceiling_members, &entry.ceilings[i], NULL);
        json_array_end(listing->w);
    } else if (other_count) {
        add_fact(
            &listing->text, "ceilings",
            "measured with another driver or power limit only; 'assay devices --ceilings' measures anew");
    } else {
        add_fact(&listing->text, "ceilings", "not measured; 'assay devices --ceilings' does");
    }
    term_table_free(rows);
}

// "1980 MHz now, base 1500 MHz, highest 1980 MHz"
static void add_clocks(struct strbuf *out, const char *name, double now_hz, double base_hz, double max_hz) {
    struct strbuf text = {0};
    if (isfinite(now_hz)) comma_addf(&text, "%.0f MHz now", now_hz / 1e6);
    if (base_hz > 0)
        comma_addf(&text, "base %.0f MHz%s", base_hz / 1e6, base_hz == max_hz ? " (as the highest)" : "");
    if (max_hz > 0) comma_addf(&text, "highest %.0f MHz", max_hz / 1e6);
    add_fact(out, name, strbuf_text(&text));
    strbuf_fini(&text);
}

static void add_gpu(struct strbuf *out, const struct device_description *device) {
    const struct gpu_facts *gpu = &device->gpu;
    const struct device_state *state = &device->state;
    if (gpu->sm_count > 0) add_factf(out, "multiprocessors", "%u", (unsigned)gpu->sm_count);
    add_fact(out, "driver", device->driver);
    add_clocks(out, "clock", state->clock_hz, gpu->clock_base_hz, gpu->clock_max_hz);
    add_clocks(out, "memory clock", state->memory_clock_hz, 0, gpu->memory_clock_max_hz);
    add_number(out, "spin clock", state->clock_probe_hz, 1e6, "MHz (measured)");
    add_number(out, "power", state->power_w, 1, "W");
    if (gpu->power_limit_w > 0 && gpu->power_limit_max_w > 0)
        add_factf(out, "power limit", "%.0f W (%.0f to %.0f W can be set)", gpu->power_limit_w,
                  gpu->power_limit_min_w, gpu->power_limit_max_w);
    else if (gpu->power_limit_w > 0)
        add_factf(out, "power limit", "%.0f W", gpu->power_limit_w);
    add_number(out, "temperature", state->temperature_c, 1, "C");
    if (gpu->memory_temperature_c > 0) add_number(out, "memory sensor", gpu->memory_temperature_c, 1, "C");
    if (state->throttle[0] && strcmp(state->throttle, "none") != 0)
        add_fact(out, "clock limited by", state->throttle);
    if (gpu->ecc != GPU_MODE_UNKNOWN && gpu->has_ecc_count)
        add_factf(out, "ECC", "%s, %llu uncorrected error%s since the driver was loaded",
                  gpu_mode_name(gpu->ecc), (unsigned long long)gpu->ecc_uncorrected_count,
                  gpu->ecc_uncorrected_count == 1 ? "" : "s");
    else if (gpu->ecc != GPU_MODE_UNKNOWN)
        add_fact(out, "ECC", gpu_mode_name(gpu->ecc));
    if (gpu->mig != GPU_MODE_UNKNOWN) add_fact(out, "MIG", gpu_mode_name(gpu->mig));
    if (gpu->persistence != GPU_MODE_UNKNOWN) add_fact(out, "persistence", gpu_mode_name(gpu->persistence));
    if (state->other_process_count > 0)
        add_factf(out, "other processes", "%d", state->other_process_count);
    else if (state->other_process_count == 0)
        add_fact(out, "other processes", "none");
}

static void add_available(struct listing *listing, const struct device_description *device) {
    struct strbuf *out = &listing->text;
    const struct device_state *state = &device->state;
    term_add(out, listing->color, TERM_BOLD, device->device);
    strbuf_add_linef(out, "  %s", str_or(device->name, ""));
    add_fact(out, is_gpu(device) ? "architecture" : "SIMD", device->isa);
    if (device->thread_count > 0) add_factf(out, "threads", "%lld", (long long)device->thread_count);
    add_bytes(out, "memory", device->memory_bytes);
    add_bytes(out, "L2", device->l2_bytes);
    if (is_gpu(device)) {
        add_gpu(out, device);
    } else {
        add_number(out, "clock", state->clock_hz, 1e9, "GHz");
        add_number(out, "spin clock", state->clock_probe_hz, 1e9, "GHz (measured)");
        add_number(out, "temperature", state->temperature_c, 1, "C");
        add_fact(out, "governor", state->governor);
        if (state->turbo >= 0) add_fact(out, "turbo", state->turbo ? "on" : "off");
    }
    add_fact(out, "not exposed", device->detail);
    add_fact(out, "uuid", device->uuid);
}

static int on_device(void *arg, const struct device_description *device, struct err *err) {
    (void)err;
    struct listing *listing = arg;
    json_object_begin(listing->w, NULL);
    json_write_string(listing->w, "backend", device->backend);
    json_maybe_string(listing->w, "device", device->device);
    json_write_bool(listing->w, "is_available", device->is_available);
    json_maybe_string(listing->w, "name", device->name);
    json_maybe_string(listing->w, "uuid", device->uuid);
    json_maybe_string(listing->w, "isa", device->isa);
    if (device->thread_count > 0) json_write_i64(listing->w, "thread_count", device->thread_count);
    if (device->memory_bytes > 0) json_write_i64(listing->w, "memory_bytes", device->memory_bytes);
    if (device->l2_bytes > 0) json_write_i64(listing->w, "l2_bytes", device->l2_bytes);
    json_maybe_string(listing->w, "driver", device->driver);
    if (gpu_facts_are_known(&device->gpu))
        members_write_object(listing->w, "gpu", &gpu_facts_members, &device->gpu, NULL);
    json_maybe_string(listing->w, "detail", device->detail);
    if (device->is_available) {
        ++listing->available_count;
        members_write_object(listing->w, "state", &device_state_members, &device->state, NULL);
        add_available(listing, device);
        add_ceilings(listing, device);
    } else {
        term_add(&listing->text, listing->color, TERM_BOLD, device->backend);
        strbuf_add(&listing->text, "  ");
        add_wrapped_line(
            &listing->text, str_width(device->backend) + strlen("  "),
            arena_format(&listing->arena, "not available: %s", str_or(device->detail, "no reason given")));
    }
    json_object_end(listing->w);
    return 0;
}

// Simulated devices, the manifest's first, one a line (docs/simulation.md).
static void add_simulated(struct listing *listing, const struct manifest *manifest) {
    const struct sim_device *device;
    struct term_table *rows = term_table_new(2, "ll");
    json_array_begin(listing->w, "simulated");
    for (size_t i = 0; (device = sim_shipped_device_at(manifest, i)); ++i) {
        if (listing->only && !str_equal(listing->only, device->name)) continue;
        listing->available_count += listing->only != NULL;
        const char *summary = str_or(device->summary, "of this manifest");
        term_table_add(rows, (const char *[]){arena_format(&listing->arena, "  %s", device->name), summary});
        char uuid[64];
        sim_device_uuid(device, uuid);
        json_object_begin(listing->w, NULL);
        json_write_string(listing->w, "device", device->name);
        json_write_string(listing->w, "summary", summary);
        json_write_string(listing->w, "uuid", uuid);
        json_object_end(listing->w);
    }
    json_array_end(listing->w);
    if (!listing->only || str_starts(listing->only, SIM_DEVICE_PREFIX)) {
        term_add(&listing->text, listing->color, TERM_BOLD, "simulated");
        strbuf_add(&listing->text, "  ");
        term_add_wrapped(&listing->text, false, TERM_PLAIN, strlen("simulated  "),
                         "scripts that need no hardware: gate --device sim:steady --candidate sim_slower5 "
                         "--baseline sim");
        strbuf_add_char(&listing->text, '\n');
        term_table_print(rows, listing->color, &listing->text);
    }
    term_table_free(rows);
}

// The devices whose ceilings are measured.
struct device_names {
    struct arena arena;
    size_t count;
    const char *items[DEVICES_MAX];
};

static int add_name(void *arg, const struct device_description *device, struct err *err) {
    (void)err;
    struct device_names *names = arg;
    if (device->is_available && names->count < DEVICES_MAX)
        names->items[names->count++] = arena_strdup(&names->arena, device->device);
    return 0;
}

static int measure_device(const char *device, const struct cmd_options *options, struct err *err) {
    const uint32_t thread_count = options->session.thread_count;
    const struct run_callbacks callbacks = cmd_run_callbacks(options);
    const struct device_lock_user user = {.command = "devices",
                                          .device = device,
                                          .thread_count = thread_count,
                                          .on_notice = callbacks.on_notice};
    struct device_lock lock = {0};
    int code = device_lock_take(&lock, &user, err);
    if (code == 0) code = ceilings_measure(device, thread_count, err);
    device_lock_release(&lock);
    return code;
}

// Of the device that is named, else of all that are here.
static int measure_ceilings(const struct listing *listing, const struct session *session,
                            const struct cmd_options *options, struct err *err) {
    struct device_names names = {.count = 1, .items = {listing->only}};
    if (session->sim)
        return err_set(err, ERR_USAGE, "--ceilings: device '%s' is simulated and has none",
                       session->sim->name);
    if (!listing->only) names.count = 0;
    int code = listing->only ? 0 : query_devices(NULL, add_name, &names, err);
    for (size_t i = 0; i < names.count && code == 0; ++i) code = measure_device(names.items[i], options, err);
    arena_fini(&names.arena);
    return code;
}

static int run_devices(const struct command *command, int argc, char **argv) {
    struct cmd_options options = cmd_options_default();
    bool wants_ceilings = false;
    const struct option own[] = {
        {"ceilings", NULL, "measure the devices' ceilings (a GPU: a quarter of a minute) and store them",
         OPTION_FLAG, &wants_ceilings},
        {0},
    };
    struct option_line line = {.argc = argc, .argv = argv};
    struct err err = {0};
    struct strbuf json = {0};
    struct json_writer w = json_writer_make(&json, 2);
    struct session session = {0};
    int code = cmd_parse(command, own, &options, &line, &err);
    if (code == CMD_HELP_PRINTED) return 0;
    struct listing listing = {.w = &w, .color = cmd_wants_color(&options)};
    if (!options.session.is_device_default) listing.only = options.session.device;
    if (code == 0) code = session_open(&session, &options.session, &err);
    if (code == 0 && wants_ceilings) code = measure_ceilings(&listing, &session, &options, &err);
    json_object_begin(&w, NULL);
    json_array_begin(&w, "devices");
    if (code == 0 && !session.sim) code = query_devices(listing.only, on_device, &listing, &err);
    json_array_end(&w);
    if (code == 0) add_simulated(&listing, &session.manifest);
    json_object_end(&w);
    strbuf_add_char(&json, '\n');
    if (code == 0 && !listing.available_count)
        code = err_set(&err, ERR_UNAVAILABLE, "no device at all: see above");
    int exit_code = cmd_print(strbuf_text(options.is_json ? &json : &listing.text));
    if (code < 0) exit_code = cmd_fail(&options, &err);
    strbuf_fini(&json);
    strbuf_fini(&listing.text);
    arena_fini(&listing.arena);
    session_close(&session);
    return exit_code;
}

const struct command command_devices = {
    .name = "devices",
    .summary = "what this machine can measure on, and what is missing",
    .usage = "assay devices [--ceilings] [OPTIONS]",
    .details =
        "Lists backends and devices with SIMD level or architecture, clocks, limits and ceilings, and what\n"
        "is missing and why; then the simulated devices that come with assay or are in the manifest.\n"
        "\n"
        "example\n"
        "  assay devices --ceilings",
    .run = run_devices,
    .option_groups = CMD_OPTIONS_SESSION,
};
