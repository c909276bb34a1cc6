// SPDX-License-Identifier: Apache-2.0
//
// Blocks of a report (control/report/result/report_block.h) as HTML.
#ifndef CONTROL_REPORT_HTML_BLOCKS_H
#define CONTROL_REPORT_HTML_BLOCKS_H

#include "control/report/result/report_block.h"

// Adds every block. Titles become headings of this level (3: <h3>); tables scroll sideways where they are
// wide.
void html_blocks_add(const struct report_blocks *blocks, int level, struct strbuf *out);

#endif
