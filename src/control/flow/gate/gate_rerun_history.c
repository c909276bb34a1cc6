// SPDX-License-Identifier: Apache-2.0
//
// Earlier gates of the same code, from the gate log and the run folders. All plans are read, as they are
// small; a result is read only if its run is of the same code.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "control/flow/gate/gate_rerun_history_internal.h"
#include "control/flow/run_folder.h"
#include "record/run_id.h"

enum { FOLDER_RUNS_MAX = 200 }; // newest first; older ones are in the gate log

static bool is_same_code(const struct plan *a, const struct plan *b) {
    if (a->side_count != b->side_count || !str_equal(a->gate.stored_baseline, b->gate.stored_baseline))
        return false;
    for (size_t i = 0; i < a->side_count; ++i) {
        const char *code = build_report_version(&a->sides[i].build);
        if (a->sides[i].role != b->sides[i].role || !code || !*code ||
            !str_equal(code, build_report_version(&b->sides[i].build)))
            return false;
    }
    return true;
}

static bool has_case(const struct plan *plan, const char *name) {
    char key[PROBLEM_KEY_BYTES];
    for (size_t i = 0; i < plan->case_count; ++i)
        if (str_equal(problem_key(&plan->cases[i].problem, plan->cases[i].distribution, key), name))
            return true;
    return false;
}

bool gate_is_evidence(const struct decision *decision) {
    if (decision->exit_code != 3) return true;
    for (size_t i = 0; i < decision->case_count; ++i)
        if (decision->cases[i].verdict == VERDICT_UNDECIDABLE && decision->cases[i].round_count) return true;
    return false;
}

// ---- collecting ----

struct collection {
    const struct plan *plan;
    struct gate_rerun_history *history;
    size_t capacity;
};

static void entry_keep(struct collection *collection, const struct gate_entry *entry) {
    struct gate_rerun_history *history = collection->history;
    if (history->count < collection->capacity) history->entries[history->count++] = *entry;
}

// Whether the run measured a problem of this plan; thresholds, claim and samples may differ.
static bool is_of_question(const struct plan *plan, const struct gate_entry *entry) {
    if (str_equal(entry->run_id, plan->run_id) || !gate_is_evidence(&entry->decision)) return false;
    for (size_t i = 0; i < entry->decision.case_count; ++i)
        if (has_case(plan, entry->decision.cases[i].name)) return true;
    return false;
}

static void add_gate_log(struct collection *collection) {
    struct gate_rerun_history *history = collection->history;
    char *path = gate_log_path(collection->plan);
    if (!path) return;
    struct gate_log gate_log;
    gate_log_read(path, &gate_log);
    free(path);
    for (size_t i = gate_log.count; i-- > 0;)
        if (is_of_question(collection->plan, &gate_log.entries[i]))
            entry_keep(collection, &gate_log.entries[i]);
    history->warning = gate_log.warning;
    history->arena = gate_log.arena; // it owns all that was read
}

// For a run without a result: whether it was begun, that is, has a journal, and no process holds its lock.
static bool is_unfinished(const char *dir) {
    char *journal = path_join(dir, "journal.jsonl"), *lock = path_join(dir, "lock");
    bool is_left = file_size_bytes(journal) > 0;
    if (is_left && file_exists(lock)) {
        struct err held = {0};
        int fd = -1;
        is_left = file_lock_open(lock, false, &fd, &held) == 0;
        file_lock_close(fd);
    }
    free(journal);
    free(lock);
    return is_left;
}

static void add_result(struct collection *collection, const struct plan *earlier, const char *dir) {
    struct arena *arena = &collection->history->arena;
    struct result result;
    struct err unread = {0};
    char *path = path_join(dir, "result.json");
    if (!file_exists(path)) {
        collection->history->unfinished_count += is_unfinished(dir);
    } else if (result_read_file(path, &result, &unread) == 0) {
        if (result.decision) {
            char *absolute = path_absolute(dir);
            struct gate_entry entry = gate_entry_make(earlier, arena_strdup(arena, absolute), &result,
                                                      result.decision, &result.arena);
            free(absolute);
            if (is_of_question(collection->plan, &entry)) {
                entry = gate_entry_copy(&entry, arena);
                entry_keep(collection, &entry);
            }
        }
        result_fini(&result);
    }
    free(path);
}

static void add_folder(struct collection *collection, const char *root, const char *id) {
    const struct plan *plan = collection->plan;
    struct plan earlier = {0};
    struct err unread = {0};
    if (str_equal(id, plan->run_id) || !run_id_is_valid(id)) return;
    for (size_t i = 0; i < collection->history->count; ++i)
        if (str_equal(collection->history->entries[i].run_id, id)) return;
    char *dir = path_join(root, id), *path = path_join(dir, "plan.json");
    if (plan_read_file(path, &earlier, &unread) == 0) {
        earlier.run_id = id; // runs are known by their folders
        char device[64], earlier_device[64];
        bool has_common_case = false;
        gate_device_key(plan, device);
        gate_device_key(&earlier, earlier_device);
        for (size_t i = 0; i < earlier.case_count && !has_common_case; ++i) {
            const struct plan_case *item = &earlier.cases[i];
            char key[PROBLEM_KEY_BYTES];
            has_common_case = has_case(plan, problem_key(&item->problem, item->distribution, key));
        }
        if (str_equal(earlier.command, plan->command) && !earlier.gate.is_same_code &&
            !plan->sim == !earlier.sim && str_equal(device, earlier_device) && is_same_code(plan, &earlier) &&
            has_common_case)
            add_result(collection, &earlier, dir);
        plan_fini(&earlier);
    }
    free(path);
    free(dir);
}

// ---- order ----

enum { RUN_ID_SECOND_CHARS = 15 }; // "20261121-120000"

// Runs of the same second stay in the order found, which the gate log knows. Insertion sort: there are a few
// hundred.
static void sort_newest_first(struct gate_entry *entries, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        const struct gate_entry entry = entries[i];
        size_t k = i;
        for (; k > 0 && strncmp(entries[k - 1].run_id, entry.run_id, RUN_ID_SECOND_CHARS) < 0; --k)
            entries[k] = entries[k - 1];
        entries[k] = entry;
    }
}

void gate_rerun_history_read(const struct plan *plan, const char *root, struct gate_rerun_history *ret) {
    *ret = (struct gate_rerun_history){0};
    struct collection collection = {plan, ret, GATE_LOG_RUNS_MAX + FOLDER_RUNS_MAX};
    struct gate_entry *entries = mem_alloc(collection.capacity * sizeof *entries);
    ret->entries = entries;
    add_gate_log(&collection);
    size_t count = 0;
    struct run_entry *runs = run_list(root, "plan.json", &count);
    for (size_t i = 0; i < count && i < FOLDER_RUNS_MAX; ++i) add_folder(&collection, root, runs[i].id);
    run_list_free(runs, count);
    sort_newest_first(entries, ret->count);
    for (size_t i = 0; i < ret->count; ++i) {
        const int exit_code = entries[i].decision.exit_code;
        if (exit_code != 1 && exit_code != 3) continue;
        ++ret->failed_count;
        if (!ret->failure) ret->failure = &entries[i];
    }
}

void gate_rerun_history_fini(struct gate_rerun_history *history) {
    free(history->entries);
    arena_fini(&history->arena);
    *history = (struct gate_rerun_history){0};
}
