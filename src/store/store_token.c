// SPDX-License-Identifier: Apache-2.0
//
// See store_token.h.
#include "store/store_token.h"

#include <string.h>

#include "assay_config.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "store/store_internal.h"

#if ASSAY_HAS_SERVE

#include <sodium.h>

#define TOKEN_PREFIX   "assay_"
#define NAME_BYTES_MAX 64
enum { SECRET_BYTES = 32, HASH_BYTES = 32, HASH_TEXT_BYTES = 2 * HASH_BYTES + 1 };

static int start_sodium(struct err *err) {
    return sodium_init() >= 0 ? 0 : err_set(err, ERR_UNAVAILABLE, "libsodium has no random bytes here");
}

static void hash_token(const char *token, char ret[HASH_TEXT_BYTES]) {
    unsigned char hash[HASH_BYTES];
    crypto_generichash(hash, sizeof hash, (const unsigned char *)token, strlen(token), NULL, 0);
    sodium_bin2hex(ret, HASH_TEXT_BYTES, hash, sizeof hash);
}

static void make_token(char ret[STORE_TOKEN_BYTES]) {
    unsigned char secret[SECRET_BYTES];
    const size_t prefix_length = sizeof TOKEN_PREFIX - 1;
    randombytes_buf(secret, sizeof secret);
    memcpy(ret, TOKEN_PREFIX, prefix_length);
    sodium_bin2base64(ret + prefix_length, STORE_TOKEN_BYTES - prefix_length, secret, sizeof secret,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(secret, sizeof secret);
}

static int check_name(const char *name, struct err *err) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@";
    const size_t length = strlen(name);
    if (length && length <= NAME_BYTES_MAX && strspn(name, allowed) == length) return 0;
    return err_set(err, ERR_USAGE,
                   "'%s' is no name of a token: it has 1 to %d letters, digits, '-', '_', '.' and '@'",
                   str_shown(name).text, NAME_BYTES_MAX);
}

static int put_token(struct sql *sql, const char *name, const char *hash, struct err *err) {
    char now[32];
    clock_utc_text(now, sizeof now);
    struct sql_statement *statement =
        sql_prepare(sql, "a token cannot be kept",
                    "INSERT INTO upload_tokens(name, hash, created_utc) VALUES(?1, ?2, ?3)"
                    " ON CONFLICT(name) DO NOTHING RETURNING name");
    sql_bind_text(statement, 1, name);
    sql_bind_text(statement, 2, hash);
    sql_bind_text(statement, 3, now);
    const int step = sql_step(statement, err);
    const bool is_added = step > 0;
    sql_finish(statement);
    if (step < 0) return step;
    return is_added ? 0
                    : err_set(err, ERR_USAGE,
                              "there is a token '%s' already: take another name, or remove it first", name);
}

int store_token_add(struct store *store, const char *name, char ret_token[STORE_TOKEN_BYTES],
                    struct err *err) {
    char hash[HASH_TEXT_BYTES];
    TRY(check_name(name, err));
    TRY(start_sodium(err));
    make_token(ret_token);
    hash_token(ret_token, hash);
    TRY(sql_begin(store->sql, err));
    return sql_end(store->sql, put_token(store->sql, name, hash, err), err);
}

int store_token_check(struct store *store, const char *token, struct err *err) {
    char hash[HASH_TEXT_BYTES];
    struct arena arena = {0};
    int step, is_known = 0;
    TRY(start_sodium(err));
    hash_token(token, hash);
    struct sql_statement *statement =
        sql_prepare(store->sql, "tokens cannot be read", "SELECT hash FROM upload_tokens");
    while ((step = sql_step(statement, err)) > 0) {
        const char *kept = sql_text(statement, 0, &arena);
        is_known |= strlen(kept) == HASH_TEXT_BYTES - 1 && sodium_memcmp(kept, hash, HASH_TEXT_BYTES) == 0;
    }
    sql_finish(statement);
    arena_fini(&arena);
    return step < 0 ? step : is_known;
}

#else

static int no_tokens(struct err *err) {
    return err_set(err, ERR_UNAVAILABLE,
                   "this assay was built without tokens: install libsodium-dev and libmicrohttpd-dev, and "
                   "build it again");
}

int store_token_add(struct store *store, const char *name, char ret_token[STORE_TOKEN_BYTES],
                    struct err *err) {
    (void)store, (void)name, (void)ret_token;
    return no_tokens(err);
}

int store_token_check(struct store *store, const char *token, struct err *err) {
    (void)store, (void)token;
    return no_tokens(err);
}

#endif

int store_token_list(struct store *store, struct arena *arena, struct stored_token **ret, size_t *ret_count,
                     struct err *err) {
    struct sql_statement *statement = sql_prepare(
        store->sql, "tokens cannot be listed", "SELECT name, created_utc FROM upload_tokens ORDER BY name");
    int step;
    *ret = NULL;
    *ret_count = 0;
    while ((step = sql_step(statement, err)) > 0) {
        *ret = store_grown(arena, *ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = (struct stored_token){.name = sql_text(statement, 0, arena),
                                                       .created_utc = sql_text(statement, 1, arena)};
    }
    sql_finish(statement);
    return step;
}

static int remove_token(struct sql *sql, const char *name, struct err *err) {
    struct sql_statement *statement = sql_prepare(sql, "a token cannot be removed",
                                                  "DELETE FROM upload_tokens WHERE name = ?1 RETURNING name");
    sql_bind_text(statement, 1, name);
    const int step = sql_step(statement, err);
    const bool is_removed = step > 0;
    sql_finish(statement);
    if (step < 0) return step;
    return is_removed
               ? 0
               : err_set(err, ERR_NO_INPUT, "there is no token '%s'; 'assay serve token list' shows them",
                         str_shown(name).text);
}

int store_token_remove(struct store *store, const char *name, struct err *err) {
    TRY(sql_begin(store->sql, err));
    return sql_end(store->sql, remove_token(store->sql, name, err), err);
}
