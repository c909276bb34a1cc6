// SPDX-License-Identifier: Apache-2.0
//
// Text that a terminal, a workflow log, Markdown or HTML would obey.
#ifndef EVIL_TEXT_H
#define EVIL_TEXT_H

#define EVIL_TEXT                                                                                            \
    "\033[2J\033[H\033[32mall passed\033[0m\a\n::error::from the kernel\n# heading | table | `code`\n"       \
    "<script>alert(1)</script> [link](http://example.org) \xff\xfe\x9b"                                      \
    "31m\r\b\b"

#endif
