// SPDX-License-Identifier: Apache-2.0
//
// See address.h. A password may hold any character by mistake: everything up to the last '@' counts as its.
#include "base/address.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"

#define SEPARATOR "://"

bool address_is_remote(const char *text) {
    return strstr(text, SEPARATOR) != NULL;
}

char *address_shown(const char *text) {
    const char *separator = strstr(text, SEPARATOR);
    if (!separator) return mem_strdup(text);
    const char *begin = separator + strlen(SEPARATOR), *at = strrchr(begin, '@');
    const char *place = at ? at : begin; // of the server
    const size_t user_length = at ? strcspn(begin, ":@") : 0;
    return mem_format("%.*s%s%.*s", (int)(begin - text + (ptrdiff_t)user_length), text,
                      begin + user_length < place ? ":***" : "", (int)strcspn(place, "?"), place);
}
