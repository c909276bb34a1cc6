// SPDX-License-Identifier: Apache-2.0
//
// The files of the dashboard (pages/), and the report's style sheet, embedded in this program. Nothing is
// read from a disk when one is asked for.
#ifndef SERVE_PAGE_FILES_H
#define SERVE_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *name, *bytes, *end;
};

const struct page_file *page_file_find(const char *name); // NULL: there is none
const char *page_file_type(const struct page_file *file); // its media type

#define PAGE_FRAME "dashboard.html" // of every page

#endif
