// SPDX-License-Identifier: Apache-2.0
//
// Rows and cells by RFC 4180 (quotes doubled, line ends inside quotes); numbers with thousands separators and
// units as Nsight Compute prints them.
#include "profile/nsight_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define REPORT_BYTES_MAX ((size_t)16 << 20)

enum { COLUMNS_MAX = 1 << 14, LAUNCHES_MAX = 512, DETAILS_MAX = 1 << 12 };

// ---- cells ----

struct row {
    size_t count;
    const char **cells;
};

// Reads a quoted or a plain cell; *at moves behind it.
static const char *cell_read(const char **at, struct arena *arena) {
    const char *from = *at;
    if (*from != '"') {
        const size_t length = strcspn(from, ",\r\n");
        *at = from + length;
        return arena_strndup(arena, from, length);
    }
    size_t length = 0;
    const char *end = ++from;
    for (; *end && (*end != '"' || end[1] == '"'); ++end, ++length) end += *end == '"';
    char *cell = arena_array(arena, length + 1, 1);
    for (size_t i = 0; i < length; ++i, ++from) {
        from += *from == '"';
        cell[i] = *from;
    }
    *at = *end ? end + 1 : end;
    return cell;
}

// The cells of a row; further ones than there is room for are dropped. *at moves behind its line end.
static struct row row_read(const char **at, const char **room, struct arena *arena) {
    struct row row = {.cells = room};
    for (bool is_open = true; is_open;) {
        const char *cell = cell_read(at, arena);
        if (row.count < COLUMNS_MAX) row.cells[row.count++] = cell;
        *at += strcspn(*at, ",\r\n"); // what follows a closing quote
        is_open = **at == ',';
        *at += is_open;
    }
    *at += strspn(*at, "\r");
    *at += **at == '\n';
    return row;
}

static size_t column_of(const struct row *header, const char *name) {
    size_t i = 0;
    while (i < header->count && !str_equal(header->cells[i], name)) ++i;
    return i;
}

// ---- numbers ----

static const struct unit {
    const char *name;
    double factor; // to base units
} units[] = {
    {"nsecond", 1},
    {"ns", 1},
    {"usecond", 1e3},
    {"us", 1e3},
    {"msecond", 1e6},
    {"ms", 1e6},
    {"second", 1e9},
    {"s", 1e9},
    {"hz", 1},
    {"Khz", 1e3},
    {"Mhz", 1e6},
    {"Ghz", 1e9},
    {"Kbyte", 1e3},
    {"Mbyte", 1e6},
    {"Gbyte", 1e9},
    {"Tbyte", 1e12},
    {"cycle/nsecond", 1e9},
    {"cycle/usecond", 1e6},
    {"cycle/second", 1},
};

// "Gbyte/s" is Gbyte, "Kbyte/block" is Kbyte; a unit that is not in the table has the factor 1.
static double unit_factor(const char *unit) {
    const size_t length = strcspn(unit, "/");
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (str_equal(units[i].name, unit)) return units[i].factor;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (strlen(units[i].name) == length && strncmp(units[i].name, unit, length) == 0)
            return units[i].factor;
    return 1;
}

// "1,234.5" has thousands separators, "35,10" a decimal comma: a comma that is not followed by three digits.
static bool has_decimal_comma(const char *cell) {
    const char *comma = strchr(cell, ',');
    if (cell[strspn(cell, "-0123456789,.")] || !comma) return false;
    for (; comma; comma = strchr(comma + 1, ','))
        if (strspn(comma + 1, "0123456789") != 3) return true;
    return false;
}

// "1,234.5"; NAN: "n/a", "no data", a name, nothing.
static double number_of(const char *cell, const char *unit) {
    char digits[64];
    size_t length = 0;
    for (; *cell && length + 1 < sizeof digits; ++cell)
        if (*cell != ',') digits[length++] = *cell;
    digits[length] = 0;
    char *end = digits;
    const double value = strtod(digits, &end);
    const bool is_number = length > 0 && !*cell && !*end && isfinite(value);
    return is_number ? value * unit_factor(unit) : NAN;
}

// ---- pages ----

struct reading {
    const char *where;
    struct arena *arena;
    struct nsight_report report;
};

static struct launch_counters *launch_add(struct reading *reading, size_t metric_room) {
    if (reading->report.launch_count == LAUNCHES_MAX) return NULL;
    struct launch_counters *launch = &reading->report.launches[reading->report.launch_count++];
    *launch = (struct launch_counters){
        .counters = arena_array(reading->arena, metric_room, sizeof *launch->counters)};
    return launch;
}

// What both pages begin their rows with.
struct columns {
    size_t id, kernel, block, grid, metric, unit, value;
};

static struct columns columns_find(const struct row *header) {
    return (struct columns){column_of(header, "ID"),          column_of(header, "Kernel Name"),
                            column_of(header, "Block Size"),  column_of(header, "Grid Size"),
                            column_of(header, "Metric Name"), column_of(header, "Metric Unit"),
                            column_of(header, "Metric Value")};
}

static const char *cell_of(const struct row *row, size_t column) {
    return column < row->count ? row->cells[column] : "";
}

static void name_launch(struct launch_counters *launch, const struct row *row,
                        const struct columns *columns) {
    launch->function = cell_of(row, columns->kernel);
    launch->block = cell_of(row, columns->block);
    launch->grid = cell_of(row, columns->grid);
}

// Of another locale's numbers none is guessed: "1,234" may be either.
static int refuse_decimal_comma(const struct row *row, const struct reading *reading, struct err *err) {
    for (size_t i = 0; i < row->count; ++i)
        if (has_decimal_comma(row->cells[i]))
            return err_set(err, ERR_DATA,
                           "%s: '%s' has a decimal comma; export it with a point: LC_ALL=C ncu --import ...",
                           reading->where, str_shown(row->cells[i]).text);
    return 0;
}

// The second row holds the units.
static int raw_parse(const char *at, const struct row *header, const struct columns *columns,
                     struct reading *reading, struct err *err) {
    const char **room = arena_array(reading->arena, COLUMNS_MAX, sizeof *room);
    const struct row unit_row =
        row_read(&at, arena_array(reading->arena, COLUMNS_MAX, sizeof *room), reading->arena);
    while (*at == '"') {
        const struct row row = row_read(&at, room, reading->arena);
        TRY(refuse_decimal_comma(&row, reading, err));
        if (row.count != header->count)
            return err_set(err, ERR_DATA, "%s: a launch has %zu values, but there are %zu columns",
                           reading->where, row.count, header->count);
        struct launch_counters *launch = launch_add(reading, row.count);
        if (!launch) break;
        name_launch(launch, &row, columns);
        for (size_t i = 0; i < row.count; ++i)
            launch->counters[launch->counter_count++] =
                (struct counter){header->cells[i], number_of(row.cells[i], cell_of(&unit_row, i))};
    }
    return 0;
}

// A row a metric, or a rule's advice, which has none; the launch by its ID.
static int details_parse(const char *at, const struct row *header, const struct columns *columns,
                         struct reading *reading, struct err *err) {
    const char **room = arena_array(reading->arena, COLUMNS_MAX, sizeof *room);
    const char *id = NULL;
    struct launch_counters *launch = NULL;
    while (*at == '"') {
        const struct row row = row_read(&at, room, reading->arena);
        TRY(refuse_decimal_comma(&row, reading, err));
        if (row.count != header->count && columns->value >= row.count)
            return err_set(err, ERR_DATA, "%s: a row has %zu values, but there are %zu columns",
                           reading->where, row.count, header->count);
        if (!launch || !str_equal(id, cell_of(&row, columns->id))) {
            launch = launch_add(reading, DETAILS_MAX);
            if (!launch) break;
            id = cell_of(&row, columns->id);
            name_launch(launch, &row, columns);
        }
        const char *name = cell_of(&row, columns->metric);
        if (!*name || launch->counter_count == DETAILS_MAX) continue;
        launch->counters[launch->counter_count++] =
            (struct counter){name, number_of(cell_of(&row, columns->value), cell_of(&row, columns->unit))};
    }
    return 0;
}

int nsight_csv_parse(const char *text, const char *where, struct arena *arena, struct nsight_report *ret,
                     struct err *err) {
    struct reading reading = {.where = where, .arena = arena};
    const char *at = strncmp(text, "\"ID\",", 5) == 0 ? text : strstr(text, "\n\"ID\",");
    const char *failure = nsight_failure(text);
    if (!at && failure) return err_set(err, ERR_DATA, "%s: %s", where, failure);
    if (!at)
        return err_set(err, ERR_DATA,
                       "%s: this is no page of Nsight Compute: no row begins with \"ID\" (make one with ncu "
                       "--import REPORT --csv --page raw --print-units base)",
                       where);
    at += *at == '\n';
    const struct row header = row_read(&at, arena_array(arena, COLUMNS_MAX, sizeof(char *)), arena);
    const struct columns columns = columns_find(&header);
    reading.report.launches = arena_array(arena, LAUNCHES_MAX, sizeof *reading.report.launches);
    if (columns.kernel == header.count)
        return err_set(err, ERR_DATA, "%s: the header row has no column 'Kernel Name'", where);
    if (columns.value < header.count)
        TRY(details_parse(at, &header, &columns, &reading, err));
    else
        TRY(raw_parse(at, &header, &columns, &reading, err));
    if (reading.report.launch_count == 0)
        return err_set(err, ERR_DATA, "%s: there is no launch in it", where);
    *ret = reading.report;
    return 0;
}

int nsight_csv_read(const char *path, struct arena *arena, struct nsight_report *ret, struct err *err) {
    char *text = NULL;
    size_t length = 0;
    TRY(file_read(path, REPORT_BYTES_MAX, &text, &length, err));
    const int code = nsight_csv_parse(text, path, arena, ret, err);
    free(text);
    return code;
}

double nsight_find(const struct launch_counters *launch, const char *const *names) {
    for (; *names; ++names)
        for (size_t i = 0; i < launch->counter_count; ++i)
            if (str_equal(launch->counters[i].name, *names) && isfinite(launch->counters[i].value))
                return launch->counters[i].value;
    return NAN;
}

// ---- failures ----

static const struct {
    const char *words, *remedy; // of the profiler; what to do
} failures[] = {
    {"ERR_NVGPUCTRPERM",
     "the driver lets only administrators count: run as root or with CAP_SYS_ADMIN, or load "
     "the driver with NVreg_RestrictProfilingToAdminUsers=0; timing works without"},
    {"driver resource was unavailable", "another program holds the counters, such as DCGM: stop it (dcgmi "
                                        "profile --pause) and try again"},
    {"Cuda driver is not compatible", "this Nsight Compute is newer than the driver: use the one that came "
                                      "with the CUDA toolkit in use"},
    {"LibraryNotLoaded", "the sandbox or container gives no access to the counters"},
    {"No kernels were profiled", "the filter matched no kernel; the profiler lists those that ran"},
    {"Failed to access the following metrics", "this chip does not have one of the metrics asked for"},
    {"Could not open report file", "there is no such report"},
};

const char *nsight_failure(const char *text) {
    for (size_t i = 0; i < sizeof failures / sizeof *failures; ++i)
        if (strstr(text, failures[i].words)) return failures[i].remedy;
    return NULL;
}

// ---- writing ----

static void cell_add(struct strbuf *out, const char *text) {
    strbuf_addf(out, "%s\"", out->length && out->text[out->length - 1] != '\n' ? "," : "");
    for (; *text; ++text) strbuf_addf(out, *text == '"' ? "\"\"" : "%c", *text);
    strbuf_add(out, "\"");
}

// Every name that a launch of the report has, in order of appearance.
static size_t names_of(const struct nsight_report *report, const char **names) {
    size_t count = 0;
    for (size_t i = 0; i < report->launch_count; ++i)
        for (size_t k = 0; k < report->launches[i].counter_count && count < COLUMNS_MAX; ++k) {
            size_t at = 0;
            while (at < count && !str_equal(names[at], report->launches[i].counters[k].name)) ++at;
            if (at == count) names[count++] = report->launches[i].counters[k].name;
        }
    return count;
}

static void launch_write(const struct launch_counters *launch, const char **names, size_t name_count,
                         struct strbuf *out) {
    char number[32];
    cell_add(out, str_or(launch->function, ""));
    cell_add(out, str_or(launch->block, ""));
    cell_add(out, str_or(launch->grid, ""));
    for (size_t i = 0; i < name_count; ++i) {
        const double value = nsight_find(launch, (const char *const[]){names[i], NULL});
        snprintf(number, sizeof number, "%.17g", value);
        cell_add(out, isfinite(value) ? number : "n/a");
    }
    strbuf_add_char(out, '\n');
}

void nsight_csv_write(const struct nsight_report *report, struct strbuf *out) {
    const char **names = mem_alloc(COLUMNS_MAX * sizeof *names);
    const size_t count = names_of(report, names);
    cell_add(out, "ID");
    cell_add(out, "Kernel Name");
    cell_add(out, "Block Size");
    cell_add(out, "Grid Size");
    for (size_t i = 0; i < count; ++i) cell_add(out, names[i]);
    strbuf_add_char(out, '\n');
    for (size_t i = 0; i < count + 4; ++i) cell_add(out, ""); // base units
    strbuf_add_char(out, '\n');
    for (size_t i = 0; i < report->launch_count; ++i) {
        strbuf_addf(out, "\"%zu\"", i);
        launch_write(&report->launches[i], names, count, out);
    }
    free(names);
}
