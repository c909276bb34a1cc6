// SPDX-License-Identifier: Apache-2.0
//
// See page_files.h. The assembler reads the files (as for report/html/html_assets.c); CMake lists
// them.
#include "serve/page_files.h"

#include "base/str.h"

#define PAGE_FILE(symbol, name, path)                                                                        \
    __asm__(".pushsection .rodata, \"a\"\n"                                                                  \
            ".globl page_begin_" #symbol "\npage_begin_" #symbol ":\n"                                       \
            ".incbin \"" path "\"\n"                                                                         \
            ".globl page_end_" #symbol "\npage_end_" #symbol ":\n"                                           \
            ".byte 0\n"                                                                                      \
            ".popsection\n");                                                                                \
    extern const char page_begin_##symbol[], page_end_##symbol[];
#include "page_list.h"
#undef PAGE_FILE

#define PAGE_FILE(symbol, name, path) {name, page_begin_##symbol, page_end_##symbol},
static const struct page_file page_files[] = {
#include "page_list.h"
};
#undef PAGE_FILE

const struct page_file *page_file_find(const char *name) {
    for (size_t i = 0; i < sizeof page_files / sizeof *page_files; ++i)
        if (str_equal(page_files[i].name, name)) return &page_files[i];
    return NULL;
}

const char *page_file_type(const struct page_file *file) {
    if (str_ends(file->name, ".css")) return "text/css; charset=utf-8";
    return str_ends(file->name, ".js") ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8";
}
