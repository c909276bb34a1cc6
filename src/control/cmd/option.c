// SPDX-License-Identifier: Apache-2.0
//
// See option.h. Values are checked here, so that commands only see valid ones.
#include "control/cmd/option.h"

#include <stdio.h>
#include <string.h>

#include "base/term.h"

enum { OPTION_HELP_COLUMN = 30, OPTION_WIDE_PAGE = 70, OPTION_NARROW_INDENT = 8 };
#define FLAT_MAX 20                     // options that are one list: they fit a screen
static const double share_least = 0.01; // as of busy_pct in the manifest

void option_add_all(struct option_table *table, const struct option *options) {
    const char *heading = OPTION_WHAT;
    for (; options->name; ++options) {
        if (options->kind == OPTION_HEADING) {
            heading = options->name;
            continue;
        }
        if (options->kind == OPTION_FORMER) {
            table->formers[table->count - 1] = options->name;
            continue;
        }
        if (table->count >= sizeof table->items / sizeof table->items[0])
            BUG("too many options for %s", table->command);
        table->headings[table->count] = heading;
        table->items[table->count++] = *options;
    }
}

bool option_is_under(const struct option_table *table, size_t index, const char *heading) {
    return table->items[index].help && (!heading || str_equal(table->headings[index], heading));
}

size_t option_headings(const struct option_table *table, const char *ret[OPTION_HEADINGS_MAX]) {
    static const char *const all[OPTION_HEADINGS_MAX] = {OPTION_WHAT, OPTION_HOW, OPTION_DECISION,
                                                         OPTION_OUTPUT};
    size_t shown = 0, count = 0;
    for (size_t i = 0; i < table->count; ++i) shown += table->items[i].help != NULL;
    for (size_t h = 0; shown > FLAT_MAX && h < OPTION_HEADINGS_MAX; ++h) {
        size_t i = 0;
        while (i < table->count && !option_is_under(table, i, all[h])) ++i;
        if (i < table->count) ret[count++] = all[h];
    }
    if (count < 2) ret[0] = NULL;
    return count < 2 ? 1 : count;
}

static int fail_unknown(const struct option_table *table, const char *name, struct err *err) {
    const char *names[sizeof table->items / sizeof table->items[0]];
    size_t count = 0;
    for (size_t i = 0; i < table->count; ++i)
        if (table->items[i].help) names[count++] = table->items[i].name;
    const char *nearest = str_nearest(name, names, count);
    if (nearest)
        return err_set(err, ERR_USAGE, "unknown option '--%s' of 'assay %s', did you mean '--%s'?", name,
                       table->command, nearest);
    return err_set(err, ERR_USAGE, "unknown option '--%s' of 'assay %s'; see 'assay %s --help'", name,
                   table->command, table->command);
}

static int parse_number(const char *text, size_t length, double *ret) {
    char number[64];
    if (length >= sizeof number) return -1;
    memcpy(number, text, length);
    number[length] = 0;
    return str_parse_double(number, ret);
}

static int parse_duration_ns(const char *text, uint64_t *ret) {
    static const struct {
        const char *suffix;
        double ns;
    } units[] = {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"min", 60e9}, {"s", 1e9}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        double value;
        if (!str_ends(text, units[i].suffix)) continue;
        if (parse_number(text, strlen(text) - strlen(units[i].suffix), &value) < 0) continue;
        if (!(value >= 0 && value * units[i].ns < 1e18)) return -1;
        *ret = (uint64_t)(value * units[i].ns);
        return 0;
    }
    return -1;
}

// What was read may be out of its range.
static int check_range(const struct option *option, const char *text, struct err *err) {
    const double *share = option->target;
    const uint32_t *count = option->target;
    const uint64_t *duration_ns = option->target;
    if (option->kind == OPTION_SHARE && !(*share >= share_least && *share <= 100))
        return err_set(err, ERR_USAGE, "--%s takes %g to 100 %%, not '%s'", option->name, share_least, text);
    if (option->kind == OPTION_COUNT && !*count)
        return err_set(err, ERR_USAGE, "--%s takes 1 or more, not '%s'", option->name, text);
    if (option->kind == OPTION_DURATION && !*duration_ns)
        return err_set(err, ERR_USAGE, "--%s takes a time above 0, such as 90s, not '%s'", option->name,
                       text);
    return 0;
}

static int parse_value(const struct option *option, const char *text, struct err *err) {
    static const char *const colors[] = {
        [TERM_COLOR_AUTO] = "auto", [TERM_COLOR_ALWAYS] = "always", [TERM_COLOR_NEVER] = "never"};
    unsigned long long number = 0;
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)option->target = true; return 0;
    case OPTION_TEXT: *(const char **)option->target = text; return 0;
    case OPTION_U64:
        if (str_parse_u64(text, &number) < 0) break;
        *(uint64_t *)option->target = number;
        return 0;
    case OPTION_U32:
    case OPTION_COUNT:
        if (str_parse_u64(text, &number) < 0 || number > UINT32_MAX) break;
        *(uint32_t *)option->target = (uint32_t)number;
        return check_range(option, text, err);
    case OPTION_PERCENT:
    case OPTION_SHARE:
        if (parse_number(text, strlen(text) - str_ends(text, "%"), option->target) < 0) break;
        return check_range(option, text, err);
    case OPTION_DURATION:
        if (parse_duration_ns(text, option->target) < 0) break;
        return check_range(option, text, err);
    case OPTION_COLOR:
        for (size_t i = 0; i < sizeof colors / sizeof *colors; ++i)
            if (str_equal(text, colors[i])) {
                *(enum term_color *)option->target = (enum term_color)i;
                return 0;
            }
        break;
    case OPTION_INVALID:
    case OPTION_HEADING:
    case OPTION_FORMER:
    case OPTION_KIND_COUNT: BUG("option %s has no kind", option->name);
    }
    return err_set(err, ERR_USAGE, "'%s' is no value for --%s (%s); see --help", text, option->name,
                   option->help);
}

// One option by two names would hide that only the last value counts.
static int note_given(struct option_line *line, const char *name, bool is_former, const char *former,
                      struct err *err) {
    for (size_t i = 0; i < line->given_count; ++i)
        if (line->given[i] == name && line->is_former[i] != is_former)
            return err_set(err, ERR_USAGE, "--%s and --%s are one option: give one of them", name, former);
    if (line->given_count == OPTION_GIVEN_MAX) return 0;
    line->is_former[line->given_count] = is_former;
    line->given[line->given_count++] = name;
    return 0;
}

// Parses the option at argv[*index] with its value, which may be the next word.
static int parse_option(const struct option_table *table, struct option_line *line, int *index,
                        struct err *err) {
    const char *text = line->argv[*index], *equals = strchr(text, '=');
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    size_t i = 0;
    while (i < table->count && !str_equal(table->items[i].name, name) && !str_equal(table->formers[i], name))
        ++i;
    if (i == table->count) return fail_unknown(table, name, err);
    const struct option *option = &table->items[i];
    TRY(note_given(line, option->name, !str_equal(option->name, name), table->formers[i], err));
    const char *value = equals ? equals + 1 : NULL;
    if (option->kind == OPTION_FLAG && value)
        return err_set(err, ERR_USAGE, "--%s takes no value", option->name);
    if (option->kind != OPTION_FLAG && !value && *index + 1 < line->argc) value = line->argv[++*index];
    if (option->kind != OPTION_FLAG && !value)
        return err_set(err, ERR_USAGE, "--%s needs a value: --%s %s", option->name, option->name,
                       option->value_name);
    return parse_value(option, value, err);
}

static int refuse_word(const struct option_table *table, const char *text, struct err *err) {
    bool has_kernel = false;
    for (size_t i = 0; i < table->count; ++i) has_kernel |= str_equal(table->items[i].name, "kernel");
    return err_set(err, ERR_USAGE, "'%s' is one argument too many for 'assay %s'; %ssee 'assay %s --help'",
                   text, table->command, has_kernel ? "a kernel stands behind --kernel; " : "",
                   table->command);
}

int option_parse(const struct option_table *table, struct option_line *line, struct err *err) {
    bool are_options_over = false;
    for (int i = 1; i < line->argc; ++i) {
        const char *text = line->argv[i];
        const bool is_negative_number = text[0] == '-' && text[1] >= '0' && text[1] <= '9';
        if (!are_options_over && str_equal(text, "--")) {
            are_options_over = true;
        } else if (!are_options_over && str_starts(text, "--")) {
            TRY(parse_option(table, line, &i, err));
        } else if (!are_options_over && text[0] == '-' && text[1] && !is_negative_number) {
            return err_set(err, ERR_USAGE, "unknown option '%s'; options begin with two dashes", text);
        } else if (line->takes_operator_file && !line->operator_file && str_ends(text, ".py")) {
            line->operator_file = text;
        } else if (line->word_count >= line->word_max) {
            return refuse_word(table, text, err);
        } else {
            line->words[line->word_count++] = text;
        }
    }
    return 0;
}

// "time|call_time|...": goes on in a new line where the page ends. Returns the columns taken by the last one.
static size_t add_value_name(const char *name, size_t page, size_t taken, struct strbuf *out) {
    while (name && *name) {
        const size_t word = strcspn(name, "|"), length = word + (name[word] == '|');
        if (page && taken + length > page) {
            strbuf_add_char(out, '\n');
            strbuf_pad(out, OPTION_NARROW_INDENT);
            taken = OPTION_NARROW_INDENT;
        }
        strbuf_add_bytes(out, name, length);
        taken += length;
        name += length;
    }
    return taken;
}

static void add_option(const struct option *option, struct strbuf *out) {
    const size_t start = out->length;
    strbuf_addf(out, "  --%s%s", option->name, option->value_name ? " " : "");
    const size_t page = term_page_columns();
    const size_t taken = add_value_name(option->value_name, page, out->length - start, out);
    const size_t indent = page && page < OPTION_WIDE_PAGE ? OPTION_NARROW_INDENT : OPTION_HELP_COLUMN;
    if (taken >= indent) strbuf_add_char(out, '\n'); // below its name
    strbuf_pad(out, indent);
    term_add_wrapped(out, false, TERM_PLAIN, indent, option->help);
    strbuf_add_char(out, '\n');
}

void option_help(const struct option_table *table, struct strbuf *out) {
    const char *headings[OPTION_HEADINGS_MAX];
    const size_t count = option_headings(table, headings);
    for (size_t h = 0; h < count; ++h) {
        strbuf_addf(out, "\noptions%s%s\n", headings[h] ? ": " : "", str_or(headings[h], ""));
        for (size_t i = 0; i < table->count; ++i)
            if (option_is_under(table, i, headings[h])) add_option(&table->items[i], out);
    }
}
