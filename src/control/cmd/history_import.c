// SPDX-License-Identifier: Apache-2.0
//
// See history_import.h.
#include "control/cmd/history_import.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/process/processors.h"
#include "base/strbuf.h"
#include "store/store_answer.h"
#include "store/store_pack.h"
#include "verdict/summary.h"

enum { IMPORTERS_MAX = 4 }; // each may hold a document of 64 MiB
#define BEGIN_BYTES 512     // of a document, that have its kind

struct import_list {
    char **paths; // owned
    size_t count, capacity;
    atomic_size_t taken_count;
    atomic_bool is_over; // a file failed
};

// A thread with its own connection.
struct importer {
    struct import_list *list;
    struct store *store;
    pthread_t thread;
    bool is_started;
    struct import_counts counts;
    int code;
    size_t failed_index; // in the list
    struct err err;
};

// An answer of the referee has its kind at its begin.
static bool is_answer(const char *text, size_t length) {
    return memmem(text, length < BEGIN_BYTES ? length : BEGIN_BYTES, "\"" REFEREE_KIND "\"",
                  strlen("\"" REFEREE_KIND "\""));
}

static int put_answer(struct importer *importer, const struct referee_record *record,
                      const struct strbuf *document, struct arena *arena) {
    const struct store_filter filter = {.run_id = record->run_id, .limit = 1};
    const struct stored_answer row = stored_answer_of(record);
    struct stored_answer *known;
    size_t count = 0;
    if (record->run_id)
        TRY(store_list_answers(importer->store, &filter, arena, &known, &count, &importer->err));
    if (!count)
        TRY(store_put_answer(importer->store, &row, document->text, document->length, &importer->err));
    importer->counts.new_count += !count;
    importer->counts.known_count += count > 0;
    return 0;
}

static int import_answer(struct importer *importer, const char *path, const char *text, size_t length) {
    struct referee_record record = {0};
    struct strbuf document = {0};
    struct arena arena = {0};
    strbuf_add_bytes(&document, text, length);
    int code = referee_record_read(&document, path, &record, &importer->err);
    if (code == 0) code = put_answer(importer, &record, &document, &arena);
    referee_record_fini(&record);
    strbuf_fini(&document);
    arena_fini(&arena);
    return code;
}

static int import_text(struct importer *importer, const char *path, const char *text, size_t length) {
    struct result result = {0};
    bool is_new = false;
    if (is_answer(text, length)) return import_answer(importer, path, text, length);
    int code = result_read_text(text, length, path, &result, &importer->err);
    struct packed packed = {.bytes = NULL};
    if (code == 0 && summary_set_all(&result) < 0)
        code = err_set(&importer->err, ERR_INTERNAL, "no memory for the summaries");
    if (code == 0) code = store_pack(text, length, &packed, &importer->err);
    if (code == 0) code = store_put_packed(importer->store, &result, &packed, NULL, &is_new, &importer->err);
    free(packed.bytes);
    result_fini(&result);
    importer->counts.new_count += code == 0 && is_new;
    importer->counts.known_count += code == 0 && !is_new;
    return code;
}

static void *import_some(void *arg) {
    struct importer *importer = arg;
    struct import_list *list = importer->list;
    while (!list->is_over) {
        const size_t i = atomic_fetch_add(&list->taken_count, 1);
        char *text = NULL;
        size_t length = 0;
        if (i >= list->count) break;
        importer->code = file_read(list->paths[i], JSON_DOCUMENT_BYTES_MAX, &text, &length, &importer->err);
        if (importer->code == 0) importer->code = import_text(importer, list->paths[i], text, length);
        free(text);
        if (importer->code == 0) continue;
        importer->failed_index = i;
        list->is_over = true;
    }
    return NULL;
}

// Files are taken in their order, so that all before a failed one were taken, too: the first failure counts.
static int add_up(const struct importer *importers, size_t count, struct import_counts *ret,
                  struct err *err) {
    const struct importer *failed = NULL;
    for (size_t i = 0; i < count; ++i) {
        const struct importer *one = &importers[i];
        ret->new_count += one->counts.new_count;
        ret->known_count += one->counts.known_count;
        if (one->code < 0 && (!failed || one->failed_index < failed->failed_index)) failed = one;
    }
    if (failed) *err = failed->err;
    return failed ? failed->code : 0;
}

static size_t importer_count(const struct import_list *list) {
    cpu_set_t processors;
    size_t count = processors_parse(NULL, &processors, NULL) < 0 ? 1 : (size_t)CPU_COUNT(&processors);
    if (count > IMPORTERS_MAX) count = IMPORTERS_MAX;
    return count < list->count ? count : list->count;
}

// The first one works here. Without a connection or a thread for another, there are fewer.
static int import_all(struct import_list *list, struct store *store, const char *address,
                      struct import_counts *ret, struct err *err) {
    struct importer importers[IMPORTERS_MAX] = {{.list = list, .store = store}};
    const size_t count = importer_count(list);
    for (size_t i = 1; i < count; ++i) {
        struct importer *one = &importers[i];
        *one = (struct importer){.list = list};
        if (store_open(address, false, &one->store, NULL) == 0)
            one->is_started = pthread_create(&one->thread, NULL, import_some, one) == 0;
    }
    import_some(&importers[0]);
    for (size_t i = 1; i < count; ++i) {
        if (importers[i].is_started) pthread_join(importers[i].thread, NULL);
        store_close(importers[i].store);
    }
    return add_up(importers, count, ret, err);
}

// ---- what there is to import ----

static void add_path(struct import_list *list, char *path) {
    MEM_GROW(list->paths, list->capacity, list->count + 1);
    list->paths[list->count++] = path;
}

// Adds a result file that is there; takes path.
static void add_file(struct import_list *list, char *path) {
    if (file_exists(path))
        add_path(list, path);
    else
        free(path);
}

// A run's own folder, or every run of one such as runs/; one that was never finished has no result.
static int add_folder(struct import_list *list, const char *folder, struct err *err) {
    static const char *const documents[] = {"result.json", "referee.json"};
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return err_set_errno(err, ERR_NO_INPUT, "cannot read the folder '%s'", str_shown(folder).text);
    for (size_t k = 0; k < sizeof documents / sizeof *documents; ++k)
        add_file(list, path_join(folder, documents[k]));
    for (int i = 0; i < count; ++i) {
        for (size_t k = 0; k < sizeof documents / sizeof *documents && entries[i]->d_name[0] != '.'; ++k)
            add_file(list, mem_format("%s/%s/%s", folder, entries[i]->d_name, documents[k]));
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int history_import(struct store *store, const char *address, const struct import_words *words,
                   struct import_counts *ret, struct err *err) {
    struct import_list list = {.paths = NULL};
    int code = 0;
    for (size_t i = 0; code == 0 && i < words->count; ++i) {
        if (file_is_dir(words->words[i]))
            code = add_folder(&list, words->words[i], err);
        else
            add_path(&list, mem_strdup(words->words[i]));
    }
    if (code == 0) code = import_all(&list, store, address, ret, err);
    for (size_t i = 0; i < list.count; ++i) free(list.paths[i]);
    free(list.paths);
    return code;
}
