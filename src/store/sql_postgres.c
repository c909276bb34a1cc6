// SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL, by libpq. Values and rows travel in its binary form. What is queued is sent through a pipeline,
// so that a row does not wait for the answer to the one before it.
#include "assay_config.h"
#include "store/sql_engine.h"

#if ASSAY_HAS_LIBPQ

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "store/libpq.h"

enum { QUEUE_MAX = 256, CONNECT_S = 10, BINARY = 1 };
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, OID_FLOAT8 = 701 }; // catalog/pg_type.h, fixed

struct postgres {
    PGconn *connection;
    const struct sql_statement *prepared; // in the pipeline; NULL: none
    size_t queued_count;
};

// ---- errors ----

static const struct {
    const char *state, *remedy; // the beginning of an SQLSTATE
} remedies[] = {
    {"08", "the connection is lost: is the server running?"},
    {"42501", "its owner grants the user what is missing"},
    {"53100", "the server's disk is full"},
    {"53300", "the server has too many connections: try again"},
    {"55P03", "another process writes to it for long: try again"},
    {"57P", "the server was stopped: try again when it runs"},
    {"", "the server's log may say more"},
};

static const char *remedy_of(const PGconn *connection, const PGresult *result) {
    const char *state = result ? libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    size_t i = 0;
    if (!state)
        return libpq.PQstatus(connection) == CONNECTION_BAD
                   ? "is the server running, and are address, user and password right?"
                   : remedies[sizeof remedies / sizeof *remedies - 1].remedy;
    while (!str_starts(state, remedies[i].state)) ++i;
    return remedies[i].remedy;
}

// result: NULL: the connection failed.
static int fail(const struct sql *sql, const char *what, const PGresult *result, struct err *err) {
    const struct postgres *postgres = sql->handle;
    const char *words = result ? libpq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
    if (!words) words = libpq.PQerrorMessage(postgres->connection);
    return err_set(err, ERR_UNAVAILABLE, "the store '%s': %s: %.*s; %s", str_shown(sql->shown).text, what,
                   (int)strcspn(words, "\n"), words, remedy_of(postgres->connection, result));
}

// Takes the result over.
static int check(const struct sql *sql, const char *what, PGresult *result, struct err *err) {
    const ExecStatusType status = libpq.PQresultStatus(result);
    const bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    const int code = is_good ? 0 : fail(sql, what, result, err);
    libpq.PQclear(result);
    return code;
}

// ---- opening ----

static void ignore_notice(void *arg, const PGresult *result) {
    (void)arg, (void)result;
}

// libpq's messages on an address that it cannot read quote all of it, the password too. And where a password
// has an '@' or a '/', libpq takes parts of it for names, which its messages quote.
static int check_address(const struct sql *sql, struct err *err) {
    const char *begin = strstr(sql->address, "://") + 3, *at = strchr(begin, '@');
    PQconninfoOption *options = libpq.PQconninfoParse(sql->address, NULL);
    const bool is_readable =
        options && (!at || (strcspn(begin, "/") > (size_t)(at - begin) && !strchr(at + 1, '@')));
    libpq.PQconninfoFree(options);
    if (is_readable) return 0;
    return err_set(
        err, ERR_USAGE,
        "the store '%s': this is no address: it is postgresql://USER@HOST:PORT/NAME, with @, / and "
        ": of a password as %%40, %%2F and %%3A",
        str_shown(sql->shown).text);
}

static int postgres_open(struct sql *sql, bool may_create, struct err *err) {
    (void)may_create; // the tables are made by the caller
    TRY(libpq_load(err));
    TRY(check_address(sql, err));
    struct postgres *postgres = mem_alloc(sizeof *postgres);
    sql->handle = postgres;
    char settings[64], connect[16];
    // What is asked is short: compiling it takes longer than it runs.
    snprintf(settings, sizeof settings, "SET lock_timeout = '%ds'; SET jit = off", SQL_WAIT_S);
    snprintf(connect, sizeof connect, "%d", CONNECT_S);
    // Those before the address are for what it does not say.
    const char *const keys[] = {"connect_timeout", "tcp_user_timeout", "fallback_application_name",
                                "dbname",          "client_encoding",  NULL};
    const char *const values[] = {connect, "30000", "assay", sql->address, "UTF8", NULL};
    postgres->connection = libpq.PQconnectdbParams(keys, values, 1);
    if (libpq.PQstatus(postgres->connection) != CONNECTION_OK)
        return fail(sql, "it cannot be opened", NULL, err);
    libpq.PQsetNoticeReceiver(postgres->connection, ignore_notice, NULL);
    return check(sql, "it cannot be opened", libpq.PQexec(postgres->connection, settings), err);
}

static void postgres_close(struct sql *sql) {
    struct postgres *postgres = sql->handle;
    libpq.PQfinish(postgres->connection);
    free(postgres);
}

// ---- values in libpq's form ----

struct arguments {
    Oid types[SQL_VALUES_MAX];
    const char *values[SQL_VALUES_MAX];
    int lengths[SQL_VALUES_MAX], formats[SQL_VALUES_MAX];
    char numbers[SQL_VALUES_MAX][8];
};

static void put_bits(char out[8], uint64_t bits) {
    for (int i = 0; i < 8; ++i) out[i] = (char)(bits >> (56 - 8 * i));
}

static uint64_t double_bits(double real) {
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static void arguments_of(const struct sql_statement *statement, struct arguments *ret) {
    static const Oid types[] = {
        [SQL_TEXT] = OID_TEXT, [SQL_I64] = OID_INT8, [SQL_DOUBLE] = OID_FLOAT8, [SQL_BYTES] = OID_BYTEA};
    for (int i = 0; i < statement->value_count; ++i) {
        const struct sql_value *value = &statement->values[i];
        const bool is_number = value->type == SQL_I64 || value->type == SQL_DOUBLE;
        if (is_number)
            put_bits(ret->numbers[i],
                     value->type == SQL_I64 ? (uint64_t)value->integer : double_bits(value->real));
        ret->types[i] = types[value->type];
        ret->values[i] = !value->is_set ? NULL : is_number ? ret->numbers[i] : value->bytes;
        ret->lengths[i] = is_number ? (int)sizeof ret->numbers[i] : (int)value->count;
        ret->formats[i] = BINARY;
    }
}

// ---- the pipeline ----

// Reads the answers to what was queued, until the mark behind it. Returns the first failure.
static int receive_queued(const struct sql *sql, const char *what, struct err *err) {
    PGconn *connection = ((struct postgres *)sql->handle)->connection;
    for (int code = 0;;) {
        PGresult *result = libpq.PQgetResult(connection);
        const bool is_end = result ? libpq.PQresultStatus(result) == PGRES_PIPELINE_SYNC
                                   : libpq.PQstatus(connection) == CONNECTION_BAD;
        if (is_end) {
            libpq.PQclear(result);
            return code == 0 && !result ? fail(sql, what, NULL, err) : code;
        }
        if (result && code == 0)
            code = check(sql, what, result, err);
        else
            libpq.PQclear(result);
    }
}

// Waits for what was queued, and leaves the pipeline.
static int settle(const struct sql *sql, struct err *err) {
    struct postgres *postgres = sql->handle;
    PGconn *connection = postgres->connection;
    if (libpq.PQpipelineStatus(connection) == PQ_PIPELINE_OFF) return 0;
    const char *what = "a row is refused";
    const int code =
        libpq.PQpipelineSync(connection) ? receive_queued(sql, what, err) : fail(sql, what, NULL, err);
    postgres->prepared = NULL;
    postgres->queued_count = 0;
    const bool has_left = libpq.PQexitPipelineMode(connection);
    return code == 0 && !has_left ? fail(sql, what, NULL, err) : code;
}

static int postgres_queue(struct sql_statement *statement, struct err *err) {
    const struct sql *sql = statement->sql;
    struct postgres *postgres = sql->handle;
    PGconn *connection = postgres->connection;
    struct arguments arguments;
    const int count = statement->value_count;
    arguments_of(statement, &arguments);
    if (postgres->prepared != statement || postgres->queued_count == QUEUE_MAX) {
        TRY(settle(sql, err));
        if (!libpq.PQenterPipelineMode(connection) ||
            !libpq.PQsendPrepare(connection, "", statement->text, count, arguments.types))
            return fail(sql, statement->what, NULL, err);
        postgres->prepared = statement;
    }
    ++postgres->queued_count;
    return libpq.PQsendQueryPrepared(connection, "", count, arguments.values, arguments.lengths,
                                     arguments.formats, BINARY)
               ? 0
               : fail(sql, statement->what, NULL, err);
}

// ---- statements ----

// Runs even after a failure of what was queued: it may be the ROLLBACK.
static int postgres_execute(struct sql *sql, const char *text, struct err *err) {
    const int settled = settle(sql, err);
    const int code =
        check(sql, "a statement failed", libpq.PQexec(((struct postgres *)sql->handle)->connection, text),
              settled < 0 ? NULL : err);
    return settled < 0 ? settled : code;
}

static int run(struct sql_statement *statement, struct err *err) {
    const struct sql *sql = statement->sql;
    struct arguments arguments;
    TRY(settle(sql, err));
    arguments_of(statement, &arguments);
    PGresult *result = libpq.PQexecParams(((struct postgres *)sql->handle)->connection, statement->text,
                                          statement->value_count, arguments.types, arguments.values,
                                          arguments.lengths, arguments.formats, BINARY);
    const ExecStatusType status = libpq.PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
        return check(sql, statement->what, result, err);
    statement->state = result;
    return 0;
}

static int postgres_step(struct sql_statement *statement, struct err *err) {
    if (!statement->state) {
        TRY(run(statement, err));
        statement->row = -1;
    }
    return ++statement->row < libpq.PQntuples(statement->state);
}

static void postgres_finish(struct sql_statement *statement) {
    struct postgres *postgres = statement->sql->handle;
    if (postgres->prepared == statement) postgres->prepared = NULL;
    libpq.PQclear(statement->state);
}

// An integer of any width.
static int64_t integer_of(const char *bytes, int length) {
    uint64_t bits = length > 0 && bytes[0] < 0 ? UINT64_MAX : 0;
    for (int i = 0; i < length; ++i) bits = bits << 8 | (unsigned char)bytes[i];
    return (int64_t)bits;
}

static struct sql_value postgres_column(const struct sql_statement *statement, int column,
                                        enum sql_type type) {
    const PGresult *result = statement->state;
    struct sql_value value = {.type = type, .is_set = !libpq.PQgetisnull(result, statement->row, column)};
    if (!value.is_set) return value;
    const char *bytes = libpq.PQgetvalue(result, statement->row, column);
    const int length = libpq.PQgetlength(result, statement->row, column);
    const int64_t integer = integer_of(bytes, length);
    value.bytes = bytes;
    value.count = (size_t)length;
    value.integer = integer;
    memcpy(&value.real, &integer, sizeof value.real);
    return value;
}

// Texts compare by their bytes, as in SQLite. One writer at a time, migrations among them, by a lock that is
// no table's: readers do not wait.
const struct sql_engine sql_postgres = {
    .words =
        (const struct sql_word[]){
            {"INTEGER PRIMARY KEY", "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"},
            {"INTEGER", "BIGINT"},
            {"TEXT", "TEXT COLLATE \"C\""},
            {"REAL", "DOUBLE PRECISION"},
            {"BLOB", "BYTEA"},
            {" WITHOUT ROWID", ""},
            {"?", "$"},
            {0},
        },
    .begin = "BEGIN; SELECT pg_advisory_xact_lock(x'6173736179'::BIGINT)", // "assay"
    // Reads a table: to_regclass could answer from a cache what was true before the lock was waited for.
    .has_version = "SELECT 1 FROM pg_class WHERE relname = 'store_version' AND pg_table_is_visible(oid)",
    .read_version = "SELECT version FROM store_version",
    .set_version = "CREATE TABLE IF NOT EXISTS store_version(version BIGINT NOT NULL);"
                   " DELETE FROM store_version; INSERT INTO store_version SELECT ",
    .open = postgres_open,
    .close = postgres_close,
    .execute = postgres_execute,
    .step = postgres_step,
    .queue = postgres_queue,
    .finish = postgres_finish,
    .column = postgres_column,
};

#else

const struct sql_engine sql_postgres = {
    .missing =
        "this assay was built without PostgreSQL: install libpq-dev, libsqlite3-dev and libzstd-dev, and "
        "build it again",
};

#endif
