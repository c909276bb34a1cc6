// SPDX-License-Identifier: Apache-2.0
//
// Tokens that allow an upload to `assay serve`. The store has their hashes only: whoever reads it can upload
// nothing. A token is 32 random bytes, so its hash needs no salt and no slow function.
#ifndef STORE_STORE_TOKEN_H
#define STORE_STORE_TOKEN_H

#include "store/store.h"

#define STORE_TOKEN_BYTES 64 // of its text, with a zero

struct stored_token {
    const char *name, *created_utc;
};

// ERR_USAGE: the name is no name, or there is one of it. ERR_UNAVAILABLE: built without libsodium.
int store_token_add(struct store *store, const char *name, char ret_token[STORE_TOKEN_BYTES],
                    struct err *err);
// By name, in the arena.
int store_token_list(struct store *store, struct arena *arena, struct stored_token **ret, size_t *ret_count,
                     struct err *err);
int store_token_remove(struct store *store, const char *name, struct err *err); // ERR_NO_INPUT: there is none
// 1: it is one of them; 0: not. Every hash is compared, in the same time whatever it holds.
int store_token_check(struct store *store, const char *token, struct err *err);

#endif
