// SPDX-License-Identifier: Apache-2.0
//
// The folder of a store's file, which often lies in the repository of the kernels.
#ifndef STORE_STORE_FOLDER_H
#define STORE_STORE_FOLDER_H

#include "base/err.h"

#define STORE_FOLDER ".assay" // beside a manifest

// Makes the folder of the file at that path, and those above. A new STORE_FOLDER is ignored by git: it gets a
// .gitignore of its own. One that is there stays as it is.
int store_folder_make(const char *path, struct err *err);

#endif
