// SPDX-License-Identifier: Apache-2.0
//
// See change_members.h.
#include "serve/change_members.h"

void change_write_runs(const struct stored_run *before, const struct stored_run *after,
                       struct json_writer *w) {
    json_write_string(w, "commit_before", before->commit);
    json_write_string(w, "commit_after", after->commit);
    json_write_string(w, "run_before", before->run_id);
    json_write_string(w, "run_after", after->run_id);
    json_write_string(w, "created_before_utc", before->created_utc);
    json_write_string(w, "created_after_utc", after->created_utc);
}

void change_write_size(const struct series_change *change, struct json_writer *w) {
    json_write_double(w, "median_before_ns", change->median_before_ns);
    json_write_double(w, "median_after_ns", change->median_after_ns);
    json_write_double(w, "change_pct", change->change_pct);
    json_write_double(w, "low_pct", change->low_pct);
    json_write_double(w, "high_pct", change->high_pct);
    json_write_double(w, "p_value", change->p);
}
