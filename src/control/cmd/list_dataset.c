// SPDX-License-Identifier: Apache-2.0
//
// See list_dataset.h.
#include "control/cmd/list_dataset.h"

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "base/term.h"
#include "control/plan/dataset/dataset.h"

struct listing {
    const struct dataset *dataset;
    struct term_table *table;
    struct json_writer *w;
    size_t count, described_count;
};

static size_t count_solutions(const struct dataset *dataset, const char *definition) {
    size_t ret = 0;
    for (size_t i = 0; i < dataset->file_count; ++i)
        ret +=
            dataset->files[i].kind == DATASET_SOLUTION && str_equal(dataset->files[i].definition, definition);
    return ret;
}

static void add_definition(struct listing *listing, const struct dataset_file *file, const char *given) {
    struct arena *arena = listing->dataset->arena;
    struct dataset_operator op;
    struct err why = {0};
    const bool is_described = dataset_describe(listing->dataset, file, given, &op, &why) == 0;
    const char *name = str_or(file->name, file->path);
    const size_t solutions = count_solutions(listing->dataset, name);
    const char *said = !is_described ? why.text
                       : op.unusable ? arena_format(arena, "described; %zu of its workloads not: %s",
                                                    op.unusable_count, op.unusable)
                                     : "described";
    const char *op_type = str_or(op.definition.op_type, "");
    term_table_add(listing->table,
                   (const char *[]){name, op_type, arena_format(arena, "%zu", op.workload_count),
                                    arena_format(arena, "%zu", solutions), said});
    json_object_begin(listing->w, NULL);
    json_write_string(listing->w, "name", name);
    json_write_string(listing->w, "op_type", op_type);
    json_write_u64(listing->w, "workloads", op.workload_count);
    json_write_u64(listing->w, "workloads_unusable", op.unusable_count);
    json_write_u64(listing->w, "solutions", solutions);
    json_write_bool(listing->w, "is_described", is_described);
    if (is_described) json_write_string(listing->w, "operator", op.op->name);
    json_maybe_string(listing->w, "why", is_described ? op.unusable : why.text);
    json_object_end(listing->w);
    ++listing->count;
    listing->described_count += is_described;
}

static void fill(struct listing *listing, const char *given) {
    const struct dataset *dataset = listing->dataset;
    term_table_add(listing->table, (const char *[]){"definition", "op_type", "workloads", "solutions",
                                                    "described, or why not"});
    json_object_begin(listing->w, NULL);
    json_array_begin(listing->w, "definitions");
    for (size_t i = 0; i < dataset->file_count; ++i)
        if (dataset->files[i].kind == DATASET_DEFINITION) add_definition(listing, &dataset->files[i], given);
    json_array_end(listing->w);
    json_write_u64(listing->w, "described", listing->described_count);
    json_object_end(listing->w);
}

int list_dataset(const struct cmd_options *options, struct err *err) {
    struct arena arena = {0};
    struct dataset dataset;
    struct strbuf text = {0}, json = {0};
    struct json_writer w = json_writer_make(&json, 2);
    struct listing listing = {.dataset = &dataset, .table = term_table_new(5, "llrrl"), .w = &w};
    int code = dataset_open(&arena, options->session.dataset, &dataset, err);
    if (code == 0) {
        fill(&listing, options->session.inputs);
        strbuf_add_char(&json, '\n');
        term_table_print(listing.table, cmd_wants_color(options), &text);
        strbuf_addf(&text, "%zu of %zu described\n", listing.described_count, listing.count);
        code = cmd_print(strbuf_text(options->is_json ? &json : &text));
    }
    term_table_free(listing.table);
    strbuf_fini(&text);
    strbuf_fini(&json);
    arena_fini(&arena);
    return code;
}
