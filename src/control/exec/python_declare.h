// SPDX-License-Identifier: Apache-2.0
//
// A Python file that declares an operator is asked in a process of its own: peers/assay_declare.py, by the
// interpreter of kernels written in Python.
#ifndef CONTROL_EXEC_PYTHON_DECLARE_H
#define CONTROL_EXEC_PYTHON_DECLARE_H

#include "control/plan/manifest/manifest.h"

// ERR_CONFIG: it gave no answer, such as within limits.reference_s; ERR_NO_INPUT: there is no such file;
// ERR_UNAVAILABLE: no interpreter.
int python_declare(const struct manifest_asker *asker, struct manifest *manifest,
                   const struct declared *declared, const char **ret_answer, struct err *err);
#define PYTHON_ASKER(dir_) (&(const struct manifest_asker){.ask = python_declare, .dir = (dir_)})

#endif
