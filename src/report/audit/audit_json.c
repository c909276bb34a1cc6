// SPDX-License-Identifier: Apache-2.0
//
// See audit_report.h: the document of --json and --output.
#include "base/json_writer.h"
#include "report/audit/audit_report.h"

static void write_counts(struct json_writer *w, const struct audit_counts *counts) {
    json_write_u64(w, "tried", counts->tried);
    json_write_u64(w, "detected", counts->detected);
    json_write_u64(w, "hidden", counts->hidden);
    json_write_u64(w, "passed", counts->passed);
    json_write_u64(w, "same", counts->same);
    json_write_u64(w, "refused", counts->refused);
}

static void write_case(struct json_writer *w, const struct audit *audit, size_t index) {
    const struct work_case *item = &audit->cases[index];
    json_object_begin(w, NULL);
    json_write_string(w, "problem", item->problem.name);
    json_maybe_string(w, "short_name", item->short_name);
    json_write_string(w, "distribution", item->distribution);
    json_write_string(w, "memory_layout", memory_layout_name(item->memory_layout));
    json_write_u64(w, "seed", item->seed);
    json_array_begin(w, "wrong_results");
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_entry *entry = &audit->entries[i];
        if (entry->case_index != index) continue;
        json_object_begin(w, NULL);
        members_write(w, &audit_result_members, &entry->result, NULL);
        json_write_bool(w, "is_problem", audit_is_problem(audit, entry));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

void audit_report_json(struct audit *audit, struct strbuf *out) {
    struct json_writer w = json_writer_make(out, 2);
    const struct audit_counts all = audit_count_all(audit);
    size_t row_count;
    const struct audit_row *rows = audit_rows(audit, &row_count);
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", AUDIT_REPORT_KIND);
    json_write_u64(&w, "schema_version", AUDIT_REPORT_SCHEMA_VERSION);
    json_write_i64(&w, "exit_code", audit_exit_code(audit));
    json_write_u64(&w, "problem_count", audit_problem_count(audit));
    json_maybe_string(&w, "suite", audit->suite);
    json_write_u64(&w, "seed", audit->seed);
    json_object_begin(&w, "counts");
    write_counts(&w, &all);
    json_object_end(&w);
    json_array_begin(&w, "wrong_results");
    for (size_t i = 0; i < row_count; ++i) {
        json_object_begin(&w, NULL);
        json_write_string(&w, "wrong_result", rows[i].mutant);
        json_maybe_string(&w, "summary", rows[i].summary);
        json_write_string(&w, "output", rows[i].output);
        write_counts(&w, &rows[i].counts);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_array_begin(&w, "inputs_that_never_matter");
    for (size_t i = 0; i < audit->entry_count; ++i) {
        const struct audit_entry *entry = &audit->entries[i];
        if (!audit_unnoticed_cases(audit, entry)) continue;
        json_object_begin(&w, NULL);
        json_write_string(&w, "operator", audit->cases[entry->case_index].problem.op->name);
        json_write_string(&w, "input", entry->result.ignored_input);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_array_begin(&w, "cases");
    for (size_t i = 0; i < audit->case_count; ++i) write_case(&w, audit, i);
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
}
