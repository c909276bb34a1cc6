// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a report (report/result/report_block.h) as HTML.
#ifndef REPORT_HTML_HTML_BLOCKS_H
#define REPORT_HTML_HTML_BLOCKS_H

#include "report/result/report_block.h"

// Adds every block. Titles become headings of this level (3: <h3>); tables scroll sideways where they are
// wide.
void html_blocks_add(const struct report_blocks *blocks, int level, struct strbuf *out);

#endif
