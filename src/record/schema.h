// SPDX-License-Identifier: Apache-2.0
//
// Describes documents from their member tables (record/member.h): as JSON Schema, and as tables in Markdown.
// docs/result.schema.json, docs/manifest.schema.json and the tables in docs/result-format.md and
// docs/manifest.md are made by it (`make docs`); unit tests hold them to it.
#ifndef RECORD_SCHEMA_H
#define RECORD_SCHEMA_H

#include "base/strbuf.h"
#include "record/member.h"

// JSON Schema, draft 2020-12, of documents that are objects of `table`; tables that it names become $defs.
void schema_write(const struct member_table *table, const char *title, struct strbuf *out);

// Text in which every part from a line "<!-- members: NAME -->" to the line "<!-- end -->" holds the members
// of the table NAME, which is `table` or one that it names; from "<!-- keys: NAME -->" on the same with what
// holds without each of them. ERR_DATA: no such table, or no end.
int schema_fill_page(const struct member_table *table, const char *text, struct strbuf *out, struct err *err);

#endif
