// SPDX-License-Identifier: Apache-2.0
//
// Does a shared library hold unique symbols (STB_GNU_UNIQUE)? The loader shares these between all libraries of a
// process, even with RTLD_LOCAL: two revisions of one kernel would share function-static variables of templates, and the
// second one's initialisation would be skipped. Such sides get a process each. Reads the file, never loads it.
#ifndef MODULE_ELF_UNIQUE_H
#define MODULE_ELF_UNIQUE_H

#include "base/err.h"

#include <stdbool.h>

// *ret_symbol: name of one such symbol (caller frees), NULL when there is none. A library without section headers cannot
// be asked and counts as having one, "(unknown)". ERR_NO_INPUT, ERR_IO; ERR_DATA for a file that is no ELF library of
// this machine or whose tables point outside the file.
int module_has_unique_symbols(const char *path, bool *ret_has, char **ret_symbol, struct err *err);

#endif
