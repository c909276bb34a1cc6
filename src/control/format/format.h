// SPDX-License-Identifier: Apache-2.0
//
// Documents that assay compares: its own and those that other tools write. One table (format_table.c); which
// one a document is shows in its content. A new format is one file and one line there.
#ifndef CONTROL_FORMAT_FORMAT_H
#define CONTROL_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "record/result.h"

// What a reader gets. `where` names the document in messages.
struct format_source {
    const json_t *root;
    const char *where;
    const char *folder; // files that the document names must lie below it; NULL: it may name none
};

struct format {
    const char *name;    // as --format takes it: "nvbench"
    const char *title;   // as sentences have it: "an NVBench file"
    const char *summary; // one line for lists
    bool (*is_mine)(const json_t *root);
    // Into a result with one side: result_fini() it when 0 is returned. ERR_DATA names the place. NULL: the
    // form holds means instead of samples and has a comparison of its own (control/verdict/integrated.h).
    int (*read)(const struct format_source *source, struct result *ret, struct err *err);
    bool has_bare_numbers; // its writer prints NaN and Infinity as they are, which JSON does not know
};

extern const struct format *const format_table[]; // NULL-terminated
extern const struct format format_assay, format_integrated, format_nvbench, format_google_benchmark;

const struct format *format_find(const char *name);     // NULL when unknown
const struct format *format_detect(const json_t *root); // by content; NULL: none of the table's
char *format_list(void);                                // "assay, integrated, ..."; the caller frees

// An opened document. {0} is none; format_close accepts it.
struct format_document {
    json_t *root;
    const struct format *format;
    char *where, *folder;           // folder: where the file lies; NULL for text
    char text_hash[HASH_HEX_BYTES]; // of the bytes of the document
};

// wanted: a format's name, which is believed; NULL: by content. Errors of json_read_file, ERR_USAGE for an
// unknown name, ERR_DATA for a document that is none of the table's; both list what there is.
int format_open(const char *path, const char *wanted, struct format_document *ret, struct err *err);
int format_open_text(const char *text, size_t length, const char *where, const char *wanted,
                     struct format_document *ret, struct err *err);
// Lets go of the values, which take much memory; form, name and hash stay.
void format_release(struct format_document *document);
void format_close(struct format_document *document);

int format_read(const struct format_document *document, struct result *ret, struct err *err);
// ERR_DATA: two documents of different forms are not compared.
int format_match(const struct format_document *base, const struct format_document *cand, struct err *err);

#endif
