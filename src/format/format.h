// SPDX-License-Identifier: Apache-2.0
//
// Documents that assay compares: its own and other tools'. One table (format_table.c); the format is detected
// from the content. A new format is one file and one line there.
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "record/result.h"

// Input of a format's reader. `where` names the document in messages.
struct format_source {
    const json_t *root;
    const char *where;
    const char *folder; // files named in the document must be below it; NULL: none may be named
};

// What becomes of bare NaN and Infinity, which are not JSON.
enum bare_numbers {
    BARE_REFUSED = 0, // its writer prints none
    BARE_AS_NULL,
    BARE_AS_TEXT, // "NaN": they mean something else than null
};

struct format {
    const char *name;    // value of --format: "nvbench"
    const char *title;   // in sentences: "an NVBench file"
    const char *summary; // one line for lists
    bool (*is_mine)(const json_t *root);
    // Reads the document into a result with one side; if 0 is returned the caller ends with result_fini().
    // ERR_DATA says where. NULL: the form holds means instead of samples and has its own comparison
    // (verdict/integrated.h).
    int (*read)(const struct format_source *source, struct result *ret, struct err *err);
    enum bare_numbers bare_numbers;
    // Of a tool that writes no JSON: its text as JSON; false if it is another text. NULL: it writes JSON.
    bool (*from_text)(const char *text, size_t length, struct strbuf *ret_json);
    // Of a tool that writes a folder: its files as one JSON document. ERR_NO_INPUT: there is none of them
    // below path. NULL: it writes files.
    int (*from_folder)(const char *path, struct strbuf *ret_json, struct err *err);
};

extern const struct format *const format_table[]; // NULL-terminated
extern const struct format format_assay, format_integrated, format_nvbench, format_google_benchmark,
    format_hyperfine, format_pytest_benchmark, format_criterion, format_asv, format_bencher,
    format_action_benchmark, format_go;

const struct format *format_find(const char *name);     // NULL when unknown
const struct format *format_detect(const json_t *root); // by content; NULL: none of the table's
char *format_list(void);                                // "assay, integrated, ..."; the caller frees
// What a document that no format reads looks like, and what to give instead; NULL: nothing known.
const char *format_lookalike(const json_t *root);
// The same of a text that is no JSON.
const char *format_lookalike_text(const char *text, size_t length);

// An opened document. {0} is none; format_close accepts it.
struct format_document {
    json_t *root;
    const struct format *format;
    char *where, *folder;           // folder: where the file lies; NULL for text
    char text_hash[HASH_HEX_BYTES]; // of the bytes of the document
};

// path: a file, or a folder of Criterion's. wanted: name of the format, which is not checked against the
// content; NULL: detect it. Errors of json_read_file; ERR_USAGE for an unknown name and ERR_DATA for an
// unknown document, both with the list of formats.
int format_open(const char *path, const char *wanted, struct format_document *ret, struct err *err);
int format_open_text(const char *text, size_t length, const char *where, const char *wanted,
                     struct format_document *ret, struct err *err);
// Frees the values, which take much memory; format, name and hash stay.
void format_release(struct format_document *document);
void format_close(struct format_document *document);

int format_read(const struct format_document *document, struct result *ret, struct err *err);
// ERR_DATA: two documents of different forms are not compared.
int format_match(const struct format_document *base, const struct format_document *cand, struct err *err);

#endif
