// SPDX-License-Identifier: Apache-2.0
//
// Members that a change point has wherever the API gives one.
#ifndef SERVE_CHANGE_MEMBERS_H
#define SERVE_CHANGE_MEMBERS_H

#include "base/json_writer.h"
#include "store/series.h"

// Between which runs it lies, into the object that is open.
void change_write_runs(const struct stored_run *before, const struct stored_run *after,
                       struct json_writer *w);
// Its size, and how sure that is.
void change_write_size(const struct series_change *change, struct json_writer *w);

#endif
