// SPDX-License-Identifier: Apache-2.0
//
// Open connections to the store, one for each request that is being answered. They are kept for the next.
#ifndef SERVE_STORE_POOL_H
#define SERVE_STORE_POOL_H

#include <stdbool.h>

#include "base/err.h"

struct store;
struct store_pool;

// address: of the caller, for as long as the pool.
struct store_pool *store_pool_new(const char *address);
void store_pool_free(struct store_pool *pool); // all connections have been given back; accepts NULL
// Errors of store_open, which makes none here; ERR_UNAVAILABLE also: there is no store.
int store_pool_take(struct store_pool *pool, struct store **ret, struct err *err);
// is_broken: a statement failed; the connection may be gone, so the next request gets a new one.
void store_pool_give(struct store_pool *pool, struct store *store, bool is_broken); // accepts NULL

#endif
