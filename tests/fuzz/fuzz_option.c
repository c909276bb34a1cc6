// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a command line, a word a line: options of every kind take a value that is in their range, or
// the line is refused with a sentence. Each word is also tried as the lists and configurations that options
// hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/term.h"
#include "control/cmd/option.h"
#include "control/compile/variant.h"
#include "verdict/classic/classic.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

struct values {
    bool flag;
    const char *text;
    uint64_t big, duration_ns;
    uint32_t small;
    double number, percent;
    enum term_color color;
};

static void parse_line(int argc, char **argv) {
    struct values values = {0};
    struct option_table table = {.command = "fuzz"};
    const struct option options[] = {
        {"flag", NULL, "a flag", OPTION_FLAG, &values.flag},
        {"text", "T", "a text", OPTION_TEXT, &values.text},
        {"big", "N", "a number", OPTION_U64, &values.big},
        {"small", "N", "a number", OPTION_U32, &values.small},
        {"number", "X", "a number", OPTION_PERCENT, &values.number},
        {"percent", "P", "a share", OPTION_PERCENT, &values.percent},
        {"duration", "T", "a time", OPTION_DURATION, &values.duration_ns},
        {"color", "WHEN", "colours", OPTION_COLOR, &values.color},
        {0},
    };
    option_add_all(&table, options);
    struct option_line line = {.argc = argc, .argv = argv, .word_max = OPTION_WORDS_MAX};
    struct err err = {0};
    const int code = option_parse(&table, &line, &err);
    if (code < 0 && (code != -ERR_USAGE || !err.text[0])) abort();
    if (line.word_count > OPTION_WORDS_MAX || values.duration_ns > 1000000000000000000u) abort();
    if (!isfinite(values.number) || !isfinite(values.percent)) abort();
}

static void parse_word(const char *word) {
    struct arena arena = {0};
    struct err err = {0};
    struct manifest_setting *settings, *again;
    size_t count, again_count;
    uint32_t bits = 0;
    struct classic_options classic = classic_options_default();
    if (config_parse(word, &arena, &settings, &count, &err) == 0) {
        const char *once = config_format(settings, count, &arena);
        if (config_parse(once, &arena, &again, &again_count, &err) < 0 || again_count != count) abort();
        if (!str_equal(once, config_format(again, again_count, &arena))) abort();
    }
    (void)classic_allow_parse(word, &bits, &err);
    (void)classic_bootstrap_parse(word, &classic, &err);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char *argv[WORDS_MAX + 2] = {NULL};
    int argc = 0;
    argv[argc++] = strdup("assay");
    for (size_t at = 0; at < count && argc <= WORDS_MAX;) {
        const uint8_t *newline = memchr(bytes + at, '\n', count - at);
        const size_t length = newline ? (size_t)(newline - (bytes + at)) : count - at;
        argv[argc++] = strndup((const char *)bytes + at, length); // a block of its own: its end is watched
        at += length + 1;
    }
    parse_line(argc, argv);
    for (int i = 1; i < argc; ++i) parse_word(argv[i]);
    for (int i = 0; i < argc; ++i) free(argv[i]);
    return 0;
}
