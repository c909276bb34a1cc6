// SPDX-License-Identifier: Apache-2.0
//
// Opens a store, and brings its tables up to date.
#include "store/store.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "store/store_internal.h"
#include "store/store_schema.h"

bool store_is_built_in(void) {
    return sql_has_sqlite();
}

static int check_version(const struct sql *sql, int version, bool may_create, struct err *err) {
    if (version > STORE_VERSION)
        return err_set(err, ERR_UNAVAILABLE,
                       "the store '%s' is of a newer assay (version %d, this one knows %d): use that one, or "
                       "another store with --store",
                       str_shown(sql_shown(sql)).text, version, STORE_VERSION);
    if (version == 0 && !may_create)
        return err_set(err, ERR_NO_INPUT, "there is no store '%s' yet: gate, bench and run make it",
                       str_shown(sql_shown(sql)).text);
    return 0;
}

// Inside a transaction. Two processes may find an old store at the same time: the second one finds it
// migrated.
static int migrate(struct sql *sql, struct err *err) {
    int version = 0;
    TRY(sql_read_version(sql, &version, err));
    TRY(check_version(sql, version, true, err));
    for (; version < STORE_VERSION; ++version) TRY(sql_execute(sql, store_migrations[version], err));
    return sql_set_version(sql, version, err);
}

static int bring_up_to_date(struct sql *sql, bool may_create, struct err *err) {
    int version = 0;
    TRY(sql_read_version(sql, &version, err));
    TRY(check_version(sql, version, may_create, err));
    if (version == STORE_VERSION) return 0;
    TRY(sql_begin(sql, err));
    return sql_end(sql, migrate(sql, err), err);
}

int store_open(const char *address, bool may_create, struct store **ret, struct err *err) {
    struct sql *sql = NULL;
    TRY(sql_open(address, may_create, &sql, err));
    const int code = bring_up_to_date(sql, may_create, err);
    if (code < 0) {
        sql_close(sql);
        return code;
    }
    *ret = mem_alloc(sizeof **ret);
    (*ret)->sql = sql;
    return 0;
}

void store_close(struct store *store) {
    if (!store) return;
    sql_close(store->sql);
    free(store);
}
