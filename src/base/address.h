// SPDX-License-Identifier: Apache-2.0
//
// Addresses of servers, "postgresql://user:password@host/name?options", in messages and records.
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>

bool address_is_remote(const char *text); // has "://"

// What may be shown of a text that may hold an address: without what stands between "://" and '@' behind a
// user's name, and without options, which may hold a password, too. Any other text as it is. Caller frees.
char *address_shown(const char *text);

#endif
