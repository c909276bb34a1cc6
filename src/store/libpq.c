// SPDX-License-Identifier: Apache-2.0
//
// See libpq.h.
#include "assay_config.h"
#include "base/library.h"

#if ASSAY_HAS_LIBPQ

#include <pthread.h>

#include "store/libpq.h"

struct libpq libpq;
static struct err load_err; // of the one attempt
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const struct library_place place = library_place_of("libpq.so.5", "ASSAY_LIBPQ");
    const char *why;
    void *library = library_open(place.path, &why);
    if (!library) {
        err_set(&load_err, ERR_UNAVAILABLE, "libpq cannot be loaded (%s): install libpq5", why);
        return;
    }
    const struct library_symbol wanted[] = {
#define WANTED(function) {.name = #function, .member = &libpq.function},
        LIBPQ_FUNCTIONS(WANTED)
#undef WANTED
    };
    const char *missing = library_find(library, wanted, sizeof wanted / sizeof *wanted);
    if (missing)
        err_set(&load_err, ERR_UNAVAILABLE,
                "'%s' is no libpq that assay can use: it lacks %s; install that of PostgreSQL 14 or newer",
                place.path, missing);
}

int libpq_load(struct err *err) {
    pthread_once(&once, load);
    return load_err.code == ERR_NONE ? 0 : err_set(err, load_err.code, "%s", load_err.text);
}

#endif
