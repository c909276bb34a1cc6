// SPDX-License-Identifier: Apache-2.0
//
// Python files that declare operators are asked in a process of their own: peers/assay_declare.py, by the
// interpreter of kernels written in Python.
#ifndef CONTROL_EXEC_PYTHON_DECLARE_H
#define CONTROL_EXEC_PYTHON_DECLARE_H

#include "control/plan/manifest/manifest.h"

// ERR_CONFIG: it gave no answer, such as within limits.reference_s; ERR_NO_INPUT: there is no such file;
// ERR_UNAVAILABLE: no interpreter.
int python_declare(const struct manifest_asker *asker, struct manifest *manifest,
                   const struct declared *const *declared, size_t count, const char **ret_answers,
                   struct err *err);
#define PYTHON_ASKER(dir_) (&(const struct manifest_asker){.ask = python_declare, .dir = (dir_)})

#endif
