// SPDX-License-Identifier: Apache-2.0
//
// "BLOCK_M=64,BLOCK_N=64": reading and writing a build configuration. Which names and values a kernel knows
// is asked of the kernel, elsewhere.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/compile/variant.h"

static bool is_macro_name(const char *text) {
    if (!isalpha((unsigned char)text[0]) && text[0] != '_') return false;
    for (const char *p = text; *p; ++p) {
        if (!isalnum((unsigned char)*p) && *p != '_') return false;
    }
    return true;
}

static size_t item_count(const char *text) {
    size_t count = 1;
    for (const char *p = text; *p; ++p) count += *p == ',';
    return count;
}

static const char *trimmed(struct arena *arena, const char *text, size_t length) {
    while (length && isspace((unsigned char)*text)) text++, length--;
    while (length && isspace((unsigned char)text[length - 1])) --length;
    return arena_strndup(arena, text, length);
}

int config_parse(const char *text, struct arena *arena, struct manifest_setting **ret, size_t *ret_count,
                 struct err *err) {
    struct manifest_setting *settings = arena_array(arena, item_count(text), sizeof *settings);
    size_t count = 0;
    const char *p = text;
    for (bool is_last = false; !is_last;) {
        size_t length = strcspn(p, ",");
        const int column = (int)(p - text) + 1;
        const char *equals = memchr(p, '=', length);
        const char *name = trimmed(arena, p, equals ? (size_t)(equals - p) : length);
        const char *value = equals ? trimmed(arena, equals + 1, length - (size_t)(equals + 1 - p)) : "";
        long long number;
        if (!is_macro_name(name)) {
            return err_set(err, ERR_USAGE,
                           "configuration '%s', column %d: '%s' is no name; write for example 'BLOCK_M=64'",
                           text, column, name);
        }
        if (str_parse_i64(value, &number) < 0) {
            return err_set(err, ERR_USAGE,
                           "configuration '%s', column %d: %s needs a whole number, such as '%s=64'", text,
                           column, name, name);
        }
        for (size_t i = 0; i < count; ++i) {
            if (!str_equal(settings[i].name, name)) continue;
            return err_set(err, ERR_USAGE, "configuration '%s', column %d: %s is given twice; keep one", text,
                           column, name);
        }
        settings[count++] = (struct manifest_setting){.name = name, .value = number};
        is_last = p[length] == 0;
        p += length + 1;
    }
    *ret = settings;
    *ret_count = count;
    return 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct manifest_setting *)a)->name, ((const struct manifest_setting *)b)->name);
}

char *config_format(const struct manifest_setting *settings, size_t count, struct arena *arena) {
    if (!count) return NULL;
    struct manifest_setting *sorted = arena_array(arena, count, sizeof *sorted);
    memcpy(sorted, settings, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_name);
    struct strbuf text = {0};
    for (size_t i = 0; i < count; ++i) {
        strbuf_addf(&text, "%s%s=%lld", i ? "," : "", sorted[i].name, (long long)sorted[i].value);
    }
    char *result = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return result;
}
