// SPDX-License-Identifier: Apache-2.0
//
// Mutates JSON as JSON, so that most of what a target gets passes the parser and reaches what reads the
// document: one value becomes another one, goes, or is doubled. One time in four, and where there is no JSON,
// bytes are mutated. Linked into the targets that read JSON when there is a fuzzer.
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t count_max);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned seed);

static uint64_t draw_state;

static size_t draw(size_t below) {
    draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(draw_state >> 33) % below;
}

// The values of a document in order: the index-th one, or NULL with *index less what was passed.
static json_t *value_at(json_t *root, size_t *index) {
    if ((*index)-- == 0) return root;
    size_t i;
    const char *key;
    json_t *value, *found;
    json_array_foreach(root, i, value) {
        if ((found = value_at(value, index))) return found;
    }
    json_object_foreach(root, key, value) {
        if ((found = value_at(value, index))) return found;
    }
    return NULL;
}

static size_t value_count(json_t *root) {
    size_t left = SIZE_MAX;
    (void)value_at(root, &left);
    return SIZE_MAX - left;
}

static json_t *drawn_value(json_t *root) {
    size_t index = draw(value_count(root));
    return value_at(root, &index);
}

static json_t *drawn_number(void) {
    static const json_int_t integers[] = {
        0, 1, -1, 2, 7, 8, 9, 255, 65536, INT32_MAX, UINT32_MAX, 1LL << 32, 1LL << 53, INT64_MAX, INT64_MIN};
    static const double reals[] = {
        -0.0, 0.5, 1.5, 1e-300, 5e-324, 1e18, 1e19, -1e308, 1.7976931348623157e308};
    if (draw(3) == 0) return json_real(reals[draw(sizeof reals / sizeof reals[0])]);
    if (draw(3) == 0) return json_integer((json_int_t)draw(1000));
    return json_integer(integers[draw(sizeof integers / sizeof integers[0])]);
}

static json_t *drawn_string(json_t *root) {
    static const char *const texts[] = {
        "",    "18446744073709551615", "-1", "%s%n", "a/b", "../..", "invalid", "none", "warm", "offset",
        "fail"};
    char text[1000];
    for (int i = 0; i < 20; ++i) { // the document's own words are the likeliest to mean something elsewhere
        json_t *value = drawn_value(root);
        if (json_is_string(value)) return json_copy(value);
    }
    if (draw(4) > 0) return json_string(texts[draw(sizeof texts / sizeof texts[0])]);
    memset(text, 'x', sizeof text);
    return json_stringn(text, draw(sizeof text));
}

// Something to put in a value's place: a new reference.
static json_t *drawn_substitute(json_t *root, const json_t *value) {
    switch (draw(8)) {
    case 0: return json_null();
    case 1: return json_deep_copy(drawn_value(root));
    case 2: return draw(2) ? json_object() : json_array();
    case 3: return draw(2) ? json_true() : json_false();
    default: break;
    }
    if (json_is_number(value)) return drawn_number();
    if (json_is_boolean(value)) return json_boolean(!json_is_true(value));
    return draw(3) ? drawn_string(root) : drawn_number();
}

static void mutate_array(json_t *root, json_t *array) {
    const size_t count = json_array_size(array), i = count ? draw(count) : 0;
    if (count == 0 || draw(4) == 0)
        json_array_insert_new(array, i, drawn_substitute(root, NULL));
    else if (draw(3) == 0)
        json_array_remove(array, i);
    else if (draw(2) == 0)
        json_array_insert_new(array, i, json_deep_copy(json_array_get(array, draw(count))));
    else
        json_array_set_new(array, i, drawn_substitute(root, json_array_get(array, i)));
}

static void mutate_object(json_t *root, json_t *object) {
    const size_t count = json_object_size(object);
    if (count == 0) return;
    void *at = json_object_iter(object);
    for (size_t i = draw(count); i > 0; --i) at = json_object_iter_next(object, at);
    if (draw(4) == 0)
        json_object_del(object, json_object_iter_key(at));
    else
        json_object_iter_set_new(object, at, drawn_substitute(root, json_object_iter_value(at)));
}

static void mutate_json(json_t *root) {
    for (size_t i = 0, times = 1 + draw(3); i < times; ++i) {
        json_t *value = drawn_value(root);
        for (int j = 0; j < 20 && !json_is_array(value) && !json_is_object(value); ++j)
            value = drawn_value(root);
        if (json_is_array(value)) mutate_array(root, value);
        if (json_is_object(value)) mutate_object(root, value);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned seed) {
    draw_state = seed;
    if (draw(4) == 0 || count == 0) return LLVMFuzzerMutate(bytes, count, count_max);
    // The whole, or one of several lines.
    size_t begin = 0, end = count;
    json_t *root = json_loadb((const char *)bytes, count, 0, NULL);
    if (!root) {
        begin = draw(count);
        const uint8_t *newline = memchr(bytes + begin, '\n', count - begin);
        end = newline ? (size_t)(newline - bytes) : count;
        while (begin > 0 && bytes[begin - 1] != '\n') --begin;
        root = end > begin ? json_loadb((const char *)bytes + begin, end - begin, 0, NULL) : NULL;
    }
    if (!root) return LLVMFuzzerMutate(bytes, count, count_max);
    mutate_json(root);
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    const size_t length = text ? strlen(text) : 0, rest = count - end;
    size_t total = count;
    if (length > 0 && begin + length + rest <= count_max) {
        memmove(bytes + begin + length, bytes + end, rest);
        memcpy(bytes + begin, text, length);
        total = begin + length + rest;
    }
    free(text);
    return total;
}
