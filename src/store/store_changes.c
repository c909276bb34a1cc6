// SPDX-License-Identifier: Apache-2.0
//
// See store_changes.h. Of a result only its figures are read, and the place of its problem and side in the
// list of all: a tenth of the time that store_list_results takes.
#include "store/store_changes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/store_internal.h"

enum { SHARE_READ_ANEW = 8 }; // of all problems, those of new runs must be fewer, or all are read

struct known_run {
    struct stored_run run;
    int64_t id;
    const char *hash; // of its document
};

// ---- runs ----

static bool is_same_run(const struct known_run *a, const struct known_run *b) {
    return a->id == b->id && str_equal(a->hash, b->hash) && str_equal(a->run.metric, b->run.metric);
}

// Whether the store still has these runs and no others. What it has of a run may be replaced, by another
// document or with another metric.
static int check_runs(struct store *store, const struct store_changes *known, bool *ret_is_same,
                      struct err *err) {
    struct arena arena = {0};
    struct sql_statement *statement =
        sql_prepare(store->sql, "runs cannot be listed",
                    "SELECT id, content_hash, metric FROM runs ORDER BY created_utc, id");
    size_t count = 0;
    int step;
    *ret_is_same = true;
    while ((step = sql_step(statement, err)) > 0 && *ret_is_same) {
        const struct known_run now = {.id = sql_i64(statement, 0),
                                      .hash = sql_text(statement, 1, &arena),
                                      .run = {.metric = sql_text(statement, 2, &arena)}};
        *ret_is_same = count < known->run_count && is_same_run(&known->runs[count], &now);
        ++count;
    }
    sql_finish(statement);
    arena_fini(&arena);
    *ret_is_same = *ret_is_same && count == known->run_count;
    return step < 0 ? step : 0;
}

static int read_runs(struct store *store, struct store_changes *changes, struct err *err) {
    struct sql_statement *statement = sql_prepare(
        store->sql, "runs cannot be listed",
        "SELECT " STORE_RUN_COLUMNS ", r.id, r.content_hash FROM runs r ORDER BY r.created_utc, r.id");
    int step;
    while ((step = sql_step(statement, err)) > 0) {
        changes->runs =
            store_grown(&changes->arena, changes->runs, changes->run_count, sizeof *changes->runs);
        changes->runs[changes->run_count++] =
            (struct known_run){.run = store_read_run(statement, &changes->arena),
                               .id = sql_i64(statement, STORE_RUN_COLUMN_COUNT),
                               .hash = sql_text(statement, STORE_RUN_COLUMN_COUNT + 1, &changes->arena)};
    }
    sql_finish(statement);
    return step;
}

// Below 0: none.
static int64_t last_id(const struct store_changes *changes) {
    int64_t last = -1;
    for (size_t i = 0; i < changes->run_count; ++i)
        if (changes->runs[i].id > last) last = changes->runs[i].id;
    return last;
}

// Whether `now` has the earlier runs unchanged, and beside them only ones of larger ids.
static bool is_continued(const struct store_changes *earlier, const struct store_changes *now) {
    const int64_t last = last_id(earlier);
    size_t found = 0;
    for (size_t i = 0; i < now->run_count; ++i) {
        if (now->runs[i].id > last) continue;
        if (found == earlier->run_count || !is_same_run(&earlier->runs[found], &now->runs[i])) return false;
        ++found;
    }
    return found == earlier->run_count;
}

// ---- figures ----

// Of a result: indices of its problem and side, of its series among those of all runs, and of its run.
struct figures {
    uint32_t side, series, run;
    double median_ns, low_ns, high_ns;
};

struct run_place {
    int64_t id;
    uint32_t run, series;
};

// One search.
struct search {
    struct store *store;
    struct store_changes *changes; // what it makes
    struct stored_side *sides;     // by their bytes
    size_t side_count;
    struct run_place *places; // by id
    struct figures *figures;
    size_t figure_count, figure_capacity;
    bool *is_read;      // by side
    size_t side, place; // of the last result: the next one mostly lies behind them
    struct stored_change *found;
    size_t found_count, found_capacity;
    struct arena arena; // of the search alone
};

static int by_id(const void *left, const void *right) {
    const struct run_place *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

// Numbers the series of the runs. Quadratic in their number, which is that of devices, drivers and metrics.
static void place_runs(struct search *search) {
    const struct store_changes *changes = search->changes;
    uint32_t *firsts = arena_array(&search->arena, changes->run_count + 1, sizeof *firsts), series_count = 0;
    search->places = arena_array(&search->arena, changes->run_count + 1, sizeof *search->places);
    for (uint32_t i = 0; i < changes->run_count; ++i) {
        uint32_t series = 0;
        while (series < series_count &&
               series_compare_runs(&changes->runs[firsts[series]].run, &changes->runs[i].run) != 0)
            ++series;
        if (series == series_count) firsts[series_count++] = i;
        search->places[i] = (struct run_place){.id = changes->runs[i].id, .run = i, .series = series};
    }
    qsort(search->places, changes->run_count, sizeof *search->places, by_id);
}

// NULL: a run that came after the others were read.
static const struct run_place *find_run(struct search *search, int64_t id) {
    const size_t count = search->changes->run_count;
    const struct run_place key = {.id = id};
    if (search->place < count && search->places[search->place].id == id)
        return &search->places[search->place];
    const struct run_place *found = bsearch(&key, search->places, count, sizeof key, by_id);
    if (found) search->place = (size_t)(found - search->places);
    return found;
}

static int compare_names(const char *a_problem, const char *a_side, const char *b_problem,
                         const char *b_side) {
    const int order = strcmp(a_problem, b_problem);
    return order ? order : strcmp(a_side, b_side);
}

static int by_name(const void *left, const void *right) {
    const struct stored_side *a = left, *b = right;
    return compare_names(a->problem, a->side, b->problem, b->side);
}

static bool find_side(struct search *search, const char *problem, const char *side, size_t *ret) {
    const struct stored_side key = {.problem = problem, .side = side};
    for (size_t i = search->side; i < search->side_count && i <= search->side + 1; ++i)
        if (by_name(&key, &search->sides[i]) == 0) {
            *ret = i;
            return true;
        }
    const struct stored_side *found = bsearch(&key, search->sides, search->side_count, sizeof key, by_name);
    if (found) *ret = (size_t)(found - search->sides);
    return found != NULL;
}

static void add_figures(struct search *search, const struct sql_statement *statement, struct arena *texts) {
    const struct run_place *place = find_run(search, sql_i64(statement, 0));
    const char *problem = sql_text(statement, 1, texts), *side = sql_text(statement, 2, texts);
    if (!place || !problem || !side || !find_side(search, problem, side, &search->side)) return;
    search->is_read[search->side] = true;
    MEM_GROW(search->figures, search->figure_capacity, search->figure_count + 1);
    search->figures[search->figure_count++] = (struct figures){.side = (uint32_t)search->side,
                                                               .series = place->series,
                                                               .run = place->run,
                                                               .median_ns = sql_double(statement, 3),
                                                               .low_ns = sql_double(statement, 4),
                                                               .high_ns = sql_double(statement, 5)};
}

#define FIGURES     "SELECT s.run, s.problem, s.side, s.median_ns, s.low_ns, s.high_ns FROM "
#define ALL_FIGURES FIGURES "results s WHERE ?1 < 0"
#define FIGURES_SINCE                                                                                        \
    FIGURES "(SELECT DISTINCT problem, side FROM results WHERE run > ?1) n"                                  \
            " JOIN results s ON s.problem = n.problem AND s.side = n.side"

// since: of the problems and sides that runs of larger ids have; -1: all.
static int read_figures(struct search *search, int64_t since, struct err *err) {
    enum { TEXTS_KEPT = 4096 };
    struct sql_statement *statement =
        sql_prepare(search->store->sql, "results cannot be listed", since < 0 ? ALL_FIGURES : FIGURES_SINCE);
    struct arena texts = {0};
    int step;
    sql_bind_i64(statement, 1, since);
    for (size_t count = 1; (step = sql_step(statement, err)) > 0; ++count) {
        add_figures(search, statement, &texts);
        if (count % TEXTS_KEPT) continue;
        arena_fini(&texts);
        texts = (struct arena){0};
    }
    sql_finish(statement);
    arena_fini(&texts);
    return step;
}

// ---- changes ----

static int by_series(const void *left, const void *right) {
    const struct figures *a = left, *b = right;
    if (a->side != b->side) return a->side < b->side ? -1 : 1;
    if (a->series != b->series) return a->series < b->series ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

static int read_kernel(struct search *search, int64_t run, const struct stored_side *side, const char **ret,
                       struct err *err) {
    struct sql_statement *statement =
        sql_prepare(search->store->sql, "results cannot be listed",
                    "SELECT kernel FROM results WHERE run = ?1 AND problem = ?2 AND side = ?3");
    sql_bind_i64(statement, 1, run);
    sql_bind_text(statement, 2, side->problem);
    sql_bind_text(statement, 3, side->side);
    const int step = sql_step(statement, err);
    if (step > 0) *ret = sql_text(statement, 0, &search->changes->arena);
    sql_finish(statement);
    return step < 0 ? step : 0;
}

static struct stored_change *add_found(struct search *search) {
    MEM_GROW(search->found, search->found_capacity, search->found_count + 1);
    search->found[search->found_count] = (struct stored_change){.problem = NULL};
    return &search->found[search->found_count++];
}

static bool is_same_text(const char *a, const char *b) {
    return str_equal(str_or(a, ""), str_or(b, ""));
}

// Of the side's figures, those of the run's device and metric, whatever its driver.
static size_t count_results(const struct search *search, const struct figures *begin,
                            const struct figures *end, const struct stored_run *run) {
    size_t count = 0;
    for (const struct figures *one = begin; one < end; ++one) {
        const struct stored_run *other = &search->changes->runs[one->run].run;
        count +=
            is_same_text(run->metric, other->metric) && is_same_text(run->device_uuid, other->device_uuid);
    }
    return count;
}

// begin, end: the side's figures, in which the change has its places.
static int add_change(struct search *search, const struct figures *begin, const struct figures *end,
                      const struct series_change *change, struct err *err) {
    const struct known_run *runs = search->changes->runs;
    const struct known_run *before = &runs[search->figures[change->before].run],
                           *after = &runs[search->figures[change->after].run];
    const struct stored_side *side = &search->sides[begin->side];
    struct stored_change *one = add_found(search);
    *one = (struct stored_change){.problem = arena_strdup(&search->changes->arena, side->problem),
                                  .side = arena_strdup(&search->changes->arena, side->side),
                                  .before = &before->run,
                                  .after = &after->run,
                                  .step = *change,
                                  .result_count = count_results(search, begin, end, &after->run)};
    return read_kernel(search, after->id, side, &one->kernel, err);
}

// One series after the other. points: room for the side's.
static int search_side(struct search *search, size_t begin, size_t end, struct series_point *points,
                       struct err *err) {
    const struct figures *figures = search->figures;
    struct series_found found = {.items = NULL};
    int code = 0;
    for (size_t first = begin, last; first < end && code == 0; first = last) {
        for (last = first; last < end && figures[last].series == figures[first].series; ++last)
            points[last - first] = (struct series_point){.place = last,
                                                         .median_ns = figures[last].median_ns,
                                                         .low_ns = figures[last].low_ns,
                                                         .high_ns = figures[last].high_ns};
        code = series_find_in(points, last - first, &found, err);
    }
    for (size_t i = 0; i < found.count && code == 0; ++i)
        code = add_change(search, &figures[begin], &figures[end], &found.items[i], err);
    free(found.items);
    return code;
}

static int search_figures(struct search *search, struct err *err) {
    const size_t count = search->figure_count;
    struct series_point *points = mem_alloc((count + 1) * sizeof *points);
    int code = 0;
    if (count) qsort(search->figures, count, sizeof *search->figures, by_series);
    for (size_t begin = 0, end; begin < count && code == 0; begin = end) {
        for (end = begin + 1; end < count && search->figures[end].side == search->figures[begin].side;) ++end;
        code = search_side(search, begin, end, points, err);
    }
    free(points);
    return code;
}

// The run of the same id: it is there (is_continued).
static const struct stored_run *same_run(const struct search *search, const struct stored_run *run) {
    const struct known_run *known = (const struct known_run *)(const void *)run; // its first member
    const struct run_place key = {.id = known->id};
    const struct run_place *place =
        bsearch(&key, search->places, search->changes->run_count, sizeof key, by_id);
    return place ? &search->changes->runs[place->run].run : NULL;
}

// Those of problems and sides that no new run has.
static void keep_changes(struct search *search, const struct store_changes *earlier) {
    struct arena *arena = &search->changes->arena;
    for (size_t i = 0; i < earlier->count; ++i) {
        const struct stored_change *one = &earlier->items[i];
        const struct stored_run *before = same_run(search, one->before),
                                *after = same_run(search, one->after);
        size_t side = 0;
        if (!before || !after || !find_side(search, one->problem, one->side, &side) || search->is_read[side])
            continue;
        struct stored_change *kept = add_found(search);
        *kept = *one;
        kept->problem = arena_strdup(arena, one->problem);
        kept->side = arena_strdup(arena, one->side);
        kept->kernel = arena_strdup(arena, one->kernel);
        kept->before = before;
        kept->after = after;
    }
}

// ---- the order ----

// Runs lie in the order of their time.
static int newest_first(const struct stored_change *a, const struct stored_change *b) {
    if (a->after != b->after) return a->after > b->after ? -1 : 1;
    if (a->before != b->before) return a->before > b->before ? -1 : 1;
    const double a_size = fabs(log1p(a->step.change_pct / 100)),
                 b_size = fabs(log1p(b->step.change_pct / 100));
    return (a_size < b_size) - (a_size > b_size);
}

static int by_side_name(const struct stored_change *a, const struct stored_change *b) {
    return compare_names(a->problem, a->side, b->problem, b->side);
}

static int in_list(const void *left, const void *right) {
    const struct stored_change *a = left, *b = right;
    const int order = newest_first(a, b);
    return order ? order : by_side_name(a, b);
}

static int in_sorted(const void *left, const void *right) {
    const struct stored_change *a = *(const struct stored_change *const *)left,
                               *b = *(const struct stored_change *const *)right;
    const int order = by_side_name(a, b);
    return order ? order : newest_first(a, b);
}

static void order_found(const struct search *search) {
    struct store_changes *changes = search->changes;
    const size_t count = search->found_count;
    struct stored_change *items = arena_array(&changes->arena, count + 1, sizeof *items);
    if (count) memcpy(items, search->found, count * sizeof *items);
    qsort(items, count, sizeof *items, in_list);
    changes->sorted = arena_array(&changes->arena, count + 1, sizeof *changes->sorted);
    for (size_t i = 0; i < count; ++i) changes->sorted[i] = &items[i];
    qsort(changes->sorted, count, sizeof *changes->sorted, in_sorted);
    changes->items = items;
    changes->count = count;
    changes->side_count = search->side_count;
}

// ---- the search ----

// After which run to look; -1: at everything.
static int64_t choose_since(const struct search *search, const struct store_changes *earlier) {
    const struct store_changes *now = search->changes;
    int64_t problem_count = 0;
    if (!earlier || !earlier->run_count || !is_continued(earlier, now)) return -1;
    const int64_t last = last_id(earlier);
    for (size_t i = 0; i < now->run_count; ++i)
        if (now->runs[i].id > last) problem_count += now->runs[i].run.problem_count;
    return problem_count < (int64_t)(search->side_count / SHARE_READ_ANEW) ? last : -1;
}

static int search_store(struct search *search, const struct store_changes *earlier, struct err *err) {
    TRY(read_runs(search->store, search->changes, err));
    TRY(store_list_sides(search->store, &search->arena, &search->sides, &search->side_count, err));
    place_runs(search);
    search->is_read = arena_array(&search->arena, search->side_count + 1, sizeof *search->is_read);
    const int64_t since = choose_since(search, earlier);
    TRY(read_figures(search, since, err));
    TRY(search_figures(search, err));
    if (since >= 0) keep_changes(search, earlier);
    order_found(search);
    return 0;
}

int store_changes_find(struct store *store, const struct store_changes *earlier, struct store_changes **ret,
                       struct err *err) {
    bool is_same = false;
    *ret = NULL;
    if (earlier) TRY(check_runs(store, earlier, &is_same, err));
    if (is_same) return 0;
    struct search search = {.store = store, .changes = mem_alloc(sizeof *search.changes)};
    const int code = search_store(&search, earlier, err);
    free(search.figures);
    free(search.found);
    arena_fini(&search.arena);
    if (code < 0)
        store_changes_free(search.changes);
    else
        *ret = search.changes;
    return code;
}

void store_changes_free(struct store_changes *changes) {
    if (!changes) return;
    arena_fini(&changes->arena);
    free(changes);
}

const struct stored_change *const *store_changes_of(const struct store_changes *changes, const char *problem,
                                                    const char *side, size_t *ret_count) {
    const struct stored_change key = {.problem = problem, .side = side};
    size_t begin = 0, end = changes->count;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (by_side_name(changes->sorted[middle], &key) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    for (end = begin; end < changes->count && !by_side_name(changes->sorted[end], &key);) ++end;
    *ret_count = end - begin;
    return &changes->sorted[begin];
}
