// SPDX-License-Identifier: Apache-2.0
//
// Reports: one result, many formats (the table in report_formats.c). All formats have the same content: text
// and Markdown are printed from the same blocks, HTML from the same parts and charts, JSON is the document
// itself. Nothing is computed here:
// figures come from verdict/summary.h, decisions from verdict/.
#ifndef REPORT_RESULT_REPORT_H
#define REPORT_RESULT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "profile/roofline.h"
#include "record/result.h"

struct report_options {
    bool has_color;        // text only
    bool has_utf8;         // text only: names may be printed as they are; the default is the locale's
    bool is_failures_only; // no rows for problems that passed; text and Markdown
    size_t limit_bytes;    // 0: none. Markdown cuts rows of its tables to stay below, and says so
    double target_ratio;   // speed-up that every problem is to reach; NAN: the result's own, if any
    const char *base_file, *cand_file; // two files: which; said in the title and the header. NULL: one result
    const char *base_label, *cand_label; // NULL: the result's own sides by their roles
    // For two files: the sides compared, whose builds the report compares. Both NULL: the result's own, by
    // their roles.
    const struct result_side *base_side, *cand_side;
    const char *output_path; // said in the header; NULL: not said
    // Of pages of commits, to which a hash is added: Markdown links those of its title. NULL: not known.
    const char *commit_url;
    const struct roofline *roofline; // drawn by HTML; NULL: none
};
struct report_options report_options_default(void);

#define REPORT_COMMENT_BYTES 65536 // the longest comment of a pull request

#endif
