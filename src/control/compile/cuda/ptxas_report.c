// SPDX-License-Identifier: Apache-2.0
//
// Reading the output of ptxas -v. Three kinds of lines count: "Compiling entry function 'N' for 'sm_90a'", "N
// bytes stack frame, N bytes spill stores, N bytes spill loads" and "Used N registers, ..., N bytes smem".
#include "control/compile/cuda/ptxas_report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/strbuf.h"
#include "control/compile/cuda/demangle.h"

#define NUMBER_MAX INT64_C(1000000000) // bytes or registers; a larger number is not a figure of ptxas

static int64_t max_of(int64_t a, int64_t b) {
    return a > b ? a : b;
}

// The number before `unit` on the line: 168 of "Used 168 registers, ..." for " registers". -1: there is none.
static int64_t number_before(const char *line, size_t length, const char *unit) {
    const char *at = memmem(line, length, unit, strlen(unit));
    if (!at) return -1;
    const char *digit = at;
    while (digit > line && isdigit((unsigned char)digit[-1])) --digit;
    if (digit == at) return -1;
    int64_t value = 0;
    for (; digit < at && value <= NUMBER_MAX; ++digit) value = value * 10 + (*digit - '0');
    return value <= NUMBER_MAX ? value : -1;
}

// Text between the first and second ' after `from`. Returns behind the second; NULL when there are none.
static const char *quoted_find(const char *from, const char *end, const char **ret_text, size_t *ret_length) {
    const char *open = memchr(from, '\'', (size_t)(end - from));
    if (!open) return NULL;
    const char *close = memchr(open + 1, '\'', (size_t)(end - open - 1));
    if (!close) return NULL;
    *ret_text = open + 1;
    *ret_length = (size_t)(close - open - 1);
    return close + 1;
}

static void text_set(char *ret, size_t capacity, const char *text, size_t length) {
    const size_t kept = length < capacity - 1 ? length : capacity - 1;
    for (size_t i = 0; i < kept; ++i) ret[i] = isprint((unsigned char)text[i]) ? text[i] : '?';
    ret[kept] = 0;
}

// Copies the function's own identifier from a mangled name: the last of the identifiers at its beginning,
// each of which follows its length.
static void name_set(char *ret, size_t capacity, const char *text, size_t length) {
    const char *end = text + length, *p = text, *name = text;
    size_t name_length = length;
    if (length > 2 && memcmp(text, "_Z", 2) == 0) {
        p += 2;
        while (p < end && strchr("NKLVr", *p)) ++p; // nested, const, of this file only
    }
    while (p > text && p < end && isdigit((unsigned char)*p)) {
        size_t count = 0;
        while (p < end && isdigit((unsigned char)*p) && count < length)
            count = count * 10 + (size_t)(*p++ - '0');
        if (!count || count > (size_t)(end - p)) break;
        name = p;
        name_length = count;
        p += count;
    }
    text_set(ret, capacity, name, name_length);
}

struct reading {
    struct ptxas_report *report;
    struct arena *arena;
    struct ptxas_entry current;
    bool is_open;      // current is an entry whose lines are being read
    bool is_of_entry;  // the properties that follow are current's, not those of a function it calls
    char mangled[512]; // of current
};

static void entry_close(struct reading *reading) {
    struct ptxas_report *report = reading->report;
    if (!reading->is_open) return;
    reading->is_open = false;
    if (report->entry_count == PTXAS_ENTRIES_MAX) {
        ++report->left_out;
        return;
    }
    if (!report->entries)
        report->entries = arena_array(reading->arena, PTXAS_ENTRIES_MAX, sizeof *report->entries);
    report->entries[report->entry_count++] = reading->current;
}

static void entry_open(struct reading *reading, const char *line, const char *end) {
    const char *name, *arch;
    size_t name_length, arch_length;
    entry_close(reading);
    const char *rest = quoted_find(line, end, &name, &name_length);
    if (!rest) return;
    reading->current =
        (struct ptxas_entry){.registers = -1, .spill_bytes = -1, .stack_bytes = -1, .shared_bytes = -1};
    name_set(reading->current.name, sizeof reading->current.name, name, name_length);
    text_set(reading->mangled, sizeof reading->mangled, name, name_length);
    reading->current.symbol = arena_strndup(reading->arena, name, name_length);
    if (quoted_find(rest, end, &arch, &arch_length))
        text_set(reading->current.arch, sizeof reading->current.arch, arch, arch_length);
    reading->is_open = reading->is_of_entry = true;
}

static void line_read(struct reading *reading, const char *line, size_t length) {
    static const char entry[] = "Compiling entry function ", head[] = "Function properties for ";
    struct ptxas_report *report = reading->report;
    const char *at;
    if ((at = memmem(line, length, entry, sizeof entry - 1))) {
        entry_open(reading, at, line + length);
    } else if ((at = memmem(line, length, head, sizeof head - 1))) {
        char mangled[sizeof reading->mangled];
        at += sizeof head - 1;
        text_set(mangled, sizeof mangled, at, (size_t)(line + length - at));
        reading->is_of_entry = str_equal(mangled, reading->mangled);
    } else if (memmem(line, length, " bytes stack frame", 18)) {
        const int64_t stack = number_before(line, length, " bytes stack frame");
        const int64_t stores = number_before(line, length, " bytes spill stores");
        const int64_t spilled = max_of(stores, number_before(line, length, " bytes spill loads"));
        report->stack_bytes = max_of(report->stack_bytes, stack);
        report->spill_bytes = max_of(report->spill_bytes, spilled);
        if (!reading->is_open || !reading->is_of_entry) return;
        reading->current.stack_bytes = stack;
        reading->current.spill_bytes = spilled;
    } else if (memmem(line, length, ": Used ", 7)) {
        const int64_t registers = number_before(line, length, " registers");
        // ptxas does not mention shared memory when none has a declared size.
        const int64_t shared = registers < 0 ? -1 : max_of(0, number_before(line, length, " bytes smem"));
        report->registers = max_of(report->registers, registers);
        report->shared_bytes = max_of(report->shared_bytes, shared);
        if (!reading->is_open) return;
        reading->current.registers = registers;
        reading->current.shared_bytes = shared;
    }
}

void ptxas_report_read(const char *log, struct arena *arena, struct ptxas_report *ret) {
    *ret = (struct ptxas_report){.registers = -1, .spill_bytes = -1, .stack_bytes = -1, .shared_bytes = -1};
    struct reading reading = {.report = ret, .arena = arena};
    for (const char *line = log; *line;) {
        const size_t length = strcspn(line, "\n");
        line_read(&reading, line, length);
        line += length + (line[length] != 0);
    }
    entry_close(&reading);
}

void ptxas_report_name(struct ptxas_report *report, struct arena *arena) {
    const size_t count = report->entry_count;
    const char **symbols = arena_array(arena, count + 1, sizeof *symbols);
    const char **names = arena_array(arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; ++i) symbols[i] = report->entries[i].symbol;
    demangle_names(symbols, count, arena, names);
    for (size_t i = 0; i < count; ++i)
        if (names[i])
            text_set(report->entries[i].name, sizeof report->entries[i].name, names[i], strlen(names[i]));
}

const char *ptxas_report_format(const struct ptxas_report *report, struct arena *arena) {
    if (!report->entry_count) return NULL;
    struct strbuf text = {0};
    for (size_t i = 0; i < report->entry_count; ++i) {
        const struct ptxas_entry *entry = &report->entries[i];
        strbuf_addf(&text, "%s%s %s", i ? "\n" : "", entry->arch, entry->name);
        const struct {
            const char *separator, *unit;
            int64_t value;
        } figures[] = {{": ", "registers", entry->registers},
                       {", ", "bytes spilled", entry->spill_bytes},
                       {", ", "bytes stack", entry->stack_bytes},
                       {", ", "bytes static shared memory", entry->shared_bytes}};
        for (size_t k = 0; k < sizeof figures / sizeof *figures; ++k)
            if (figures[k].value >= 0)
                strbuf_addf(&text, "%s%" PRId64 " %s", figures[k].separator, figures[k].value,
                            figures[k].unit);
    }
    if (report->left_out) strbuf_addf(&text, "\n... and %zu more", report->left_out);
    const char *result = arena_strdup(arena, strbuf_text(&text));
    strbuf_fini(&text);
    return result;
}

void ptxas_report_apply(const char *log, struct arena *arena, struct build_report *report) {
    struct ptxas_report found;
    ptxas_report_read(log, arena, &found);
    ptxas_report_name(&found, arena);
    if (found.registers >= 0) report->registers = found.registers;
    if (found.spill_bytes >= 0) report->spill_bytes = found.spill_bytes;
    if (found.shared_bytes >= 0) report->shared_bytes = found.shared_bytes;
    if (found.stack_bytes >= 0) report->stack_bytes_max = found.stack_bytes;
    if (found.entry_count) report->entries = ptxas_report_format(&found, arena);
}
