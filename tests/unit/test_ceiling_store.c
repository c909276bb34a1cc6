// SPDX-License-Identifier: Apache-2.0
//
// Ceilings are stored by device, driver, power limit and threads; the highest stays; files of older versions
// hold nothing and are replaced.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/flow/ceiling_store.h"
#include "control/flow/ceilings.h"

static char cache[] = "/tmp/assay-ceilings-XXXXXX";
static struct arena arena;

static int set_cache(void **state) {
    (void)state;
    return mkdtemp(cache) && setenv("XDG_CACHE_HOME", cache, 1) == 0 ? 0 : -1;
}

static int drop_cache(void **state) {
    (void)state;
    arena_fini(&arena);
    return file_remove_tree(cache, NULL);
}

static struct ceiling_key key_for(const char *uuid) {
    return (struct ceiling_key){.device_uuid = uuid, .driver = "580.1", .power_limit_w = 700};
}

static void add(const struct ceiling_key *key, const char *name, const char *power_mode, double value) {
    struct err err = {0};
    const struct ceiling ceiling = {.name = name,
                                    .power_mode = power_mode,
                                    .value = value,
                                    .clock_hz = 1.5e9,
                                    .measured_utc = "2026-11-21T10:00:00Z"};
    if (ceiling_store_add(key, &ceiling, 1, &err) < 0) fail_msg("%s", err.text);
}

static double value_of(const struct ceiling_key *key, size_t index) {
    const struct ceiling_entry entry = ceiling_store_find(key, &arena, NULL);
    return index < entry.ceiling_count ? entry.ceilings[index].value : NAN;
}

static void an_entry_is_of_one_driver_and_limit(void **state) {
    (void)state;
    const struct ceiling_key key = key_for("GPU-1");
    size_t others = 9;
    assert_int_equal(ceiling_store_find(&key, &arena, &others).ceiling_count, 0);
    assert_int_equal(others, 0);
    add(&key, "copy_gb_per_s", "cool", 4200);
    struct ceiling_key driver = key, limit = key, threads = key, same = key;
    driver.driver = "590.2";
    limit.power_limit_w = 500;
    threads.thread_count = 2;
    same.power_limit_w = 700.1; // NVML's milliwatts
    assert_true(value_of(&key, 0) == 4200);
    assert_true(value_of(&same, 0) == 4200);
    assert_true(isnan(value_of(&threads, 0)));
    assert_int_equal(ceiling_store_find(&driver, &arena, &others).ceiling_count, 0);
    assert_int_equal(others, 1);
    add(&driver, "copy_gb_per_s", "cool", 4300);
    add(&limit, "copy_gb_per_s", "cool", 4100);
    assert_true(value_of(&key, 0) == 4200 && value_of(&driver, 0) == 4300 && value_of(&limit, 0) == 4100);
    const struct ceiling_entry entry = ceiling_store_find(&key, &arena, NULL);
    assert_string_equal(entry.ceilings[0].power_mode, "cool");
    assert_string_equal(entry.ceilings[0].measured_utc, "2026-11-21T10:00:00Z");
    assert_true(entry.ceilings[0].clock_hz == 1.5e9);
}

static void the_highest_stays_in_each_power_mode(void **state) {
    (void)state;
    const struct ceiling_key key = key_for("GPU-2");
    add(&key, "read_gb_per_s", "cool", 4400);
    add(&key, "read_gb_per_s", "sustained", 4300);
    add(&key, "read_gb_per_s", "cool", 4000);
    add(&key, "read_gb_per_s", "sustained", 4350);
    assert_true(value_of(&key, 0) == 4400);
    assert_true(value_of(&key, 1) == 4350);
    assert_int_equal(ceiling_store_find(&key, &arena, NULL).ceiling_count, 2);
}

static void write_text(const char *uuid, const char *text) {
    struct err err = {0};
    char *dir = mem_format("%s/assay/ceilings", cache), *path = mem_format("%s/%s-0.json", dir, uuid);
    if (file_make_dirs(dir, &err) < 0 || file_write_atomic(path, text, strlen(text), &err) < 0)
        fail_msg("%s", err.text);
    free(dir);
    free(path);
}

static void older_and_broken_files_hold_nothing(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{\"kind\": \"assay.ceilings\", \"measured_utc\": \"2026-11-01T00:00:00Z\", \"read_gb_per_s\": 24}",
        "{\"entries\": 3}",
        "{\"device_uuid\": \"GPU-3\", \"entries\": [{\"ceilings\": [{\"name\": \"x\", \"value\": -1}]}]}",
        ("{\"device_uuid\": \"GPU-of-another\", \"entries\": [{\"driver\": \"580.1\", \"power_limit_w\": "
         "700, "
         "\"ceilings\": [{\"name\": \"read_gb_per_s\", \"value\": 1}]}]}"),
        "[",
    };
    const struct ceiling_key key = key_for("GPU-3");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        write_text("GPU-3", texts[i]);
        assert_int_equal(ceiling_store_find(&key, &arena, NULL).ceiling_count, 0);
    }
    add(&key, "read_gb_per_s", "cool", 4400);
    assert_true(value_of(&key, 0) == 4400);
}

// A run has those of its device, driver, limit and power mode.
static void a_result_has_those_that_match(void **state) {
    (void)state;
    const struct ceiling_key key = key_for("GPU-4");
    add(&key, "bf16_matrix_gflop_per_s", "cool", 9e5);
    add(&key, "bf16_matrix_gflop_per_s", "sustained", 7e5);
    add(&key, "read_gb_per_s", NULL, 4400);
    struct result result;
    result_init(&result);
    result.environment.device_uuid = "GPU-4";
    result.environment.driver = "580.1";
    result.environment.power_limit_w = 700;
    result.environment.power_mode = "sustained";
    ceilings_add_to(&result);
    assert_int_equal(result.environment.ceiling_count, 2);
    assert_true(result.environment.ceilings[0].value == 7e5);
    assert_true(result.environment.ceilings[1].value == 4400);
    result.environment.power_limit_w = 600;
    ceilings_add_to(&result);
    assert_int_equal(result.environment.ceiling_count, 0);
    result_fini(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_is_of_one_driver_and_limit),
        cmocka_unit_test(the_highest_stays_in_each_power_mode),
        cmocka_unit_test(older_and_broken_files_hold_nothing),
        cmocka_unit_test(a_result_has_those_that_match),
    };
    return cmocka_run_group_tests(tests, set_cache, drop_cache);
}
