// SPDX-License-Identifier: Apache-2.0
//
// From the text of a JSON document (RFC 8259) to its values. Refused beyond that: a root that is neither an
// array nor an object, a key given twice, integers beyond 64 bits, numbers beyond a double, \u0000, text that
// is not UTF-8, a depth of more than JSON_DEPTH_READ, more than `values_max` values.
#ifndef BASE_JSON_PARSE_H
#define BASE_JSON_PARSE_H

#include "base/json_value.h"

enum { JSON_DEPTH_READ = 512 };

struct json_fault {
    bool is_too_many;    // more than values_max; nothing else is set
    size_t line, column; // from 1; columns are bytes
    char text[200];      // a clause: what was expected, and what is there
};

// NULL: *ret_fault says why. json_free_document frees the result. An array or an object counts as four
// values beside those in it, a key as one.
json_t *json_parse(const char *text, size_t length, size_t values_max, struct json_fault *ret_fault);

#endif
