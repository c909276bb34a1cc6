// SPDX-License-Identifier: Apache-2.0
//
// Addresses of stores: what is shown of them never holds a password, and what is no address is one sentence.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "assay_config.h"
#include "base/address.h"
#include "store/store.h"

static void what_is_shown_has_no_password(void **state) {
    (void)state;
    static const struct {
        const char *address, *shown;
    } cases[] = {
        {".assay/history.db", ".assay/history.db"},
        {"a@b?c", "a@b?c"},
        {"postgresql:///assay", "postgresql:///assay"},
        {"postgresql://host:5433/assay", "postgresql://host:5433/assay"},
        {"postgresql://me@host/assay", "postgresql://me@host/assay"},
        {"postgresql://me:secret@host/assay", "postgresql://me:***@host/assay"},
        {"postgresql://:secret@host/assay", "postgresql://:***@host/assay"},
        {"postgresql://me:sec@ret@host/assay", "postgresql://me:***@host/assay"},
        {"postgresql://me:sec/ret@host/assay", "postgresql://me:***@host/assay"},
        {"postgresql://me:sec?ret@host/assay", "postgresql://me:***@host/assay"},
        {"postgresql://host/assay?user=me&password=secret", "postgresql://host/assay"},
        {"--store=postgres://me:secret@host", "--store=postgres://me:***@host"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *shown = address_shown(cases[i].address);
        assert_string_equal(shown, cases[i].shown);
        free(shown);
    }
}

#if ASSAY_HAS_STORE

static void refused(const char *address, int code, const char *words) {
    struct store *store = NULL;
    struct err err = {0};
    assert_int_equal(store_open(address, true, &store, &err), code);
    if (!strstr(err.text, words)) fail_msg("'%s' does not say '%s'", err.text, words);
    if (strstr(err.text, "sec") || strstr(err.text, "ret@") || strchr(err.text, '\n'))
        fail_msg("a password, or lines: %s", err.text);
}

static void another_scheme_is_refused(void **state) {
    (void)state;
    refused("mysql://me:secret@host/assay", -ERR_USAGE, "no store is kept at 'mysql://me:***@host/assay'");
}

#if ASSAY_HAS_LIBPQ

// libpq would say what it cannot read, or take the password's end for a host.
static void a_wrong_address_is_one_sentence(void **state) {
    (void)state;
    static const char *const addresses[] = {
        "postgresql://me:secret@[host/assay",      "postgresql://me:sec@ret@host/assay",
        "postgresql://me:sec/ret@host/assay",      "postgresql://me:sec%ret@host/assay",
        "postgresql://host/assay?passwort=secret",
    };
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; ++i)
        refused(addresses[i], -ERR_USAGE, "this is no address");
}

// libpq is loaded once: in a process of its own.
static void a_missing_library_is_one_sentence(void **state) {
    (void)state;
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        setenv("ASSAY_LIBPQ", "/nonexistent/libpq.so", 1);
        struct store *store = NULL;
        struct err err = {0};
        const int code = store_open("postgresql://me:secret@host/assay", true, &store, &err);
        _exit(code == -ERR_UNAVAILABLE && strstr(err.text, "libpq cannot be loaded (") &&
                      strstr(err.text, "install libpq5")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void no_server_is_one_sentence(void **state) {
    (void)state;
    refused("postgresql://me:secret@/assay?host=/nonexistent", -ERR_UNAVAILABLE, "is the server running");
    refused("postgresql://me:secret@127.0.0.1:1/assay", -ERR_UNAVAILABLE, "Connection refused");
}

#else

static void a_wrong_address_is_one_sentence(void **state) {
    (void)state; // it is not looked at
}

static void a_missing_library_is_one_sentence(void **state) {
    (void)state; // none is loaded
}

static void no_server_is_one_sentence(void **state) {
    (void)state;
    refused("postgresql://me:secret@host/assay", -ERR_UNAVAILABLE,
            "built without PostgreSQL: install libpq-dev");
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_has_no_password),     cmocka_unit_test(another_scheme_is_refused),
        cmocka_unit_test(a_missing_library_is_one_sentence), // before another test loads it
        cmocka_unit_test(a_wrong_address_is_one_sentence),   cmocka_unit_test(no_server_is_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_shown_has_no_password)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
