// SPDX-License-Identifier: Apache-2.0
//
// See store_folder.h.
#include "store/store_folder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/str.h"

static int make_ignored_folder(const char *folder, struct err *err) {
    static const char ignored[] = "*\n";
    char *above = path_dir(folder), *path = path_join(folder, ".gitignore");
    int code = file_make_dirs(above, err);
    // Only who makes it writes there: somebody may keep his store in the repository on purpose.
    if (code == 0 && mkdir(folder, 0777) == 0)
        code = file_write_atomic(path, ignored, sizeof ignored - 1, err);
    free(above);
    free(path);
    return code;
}

int store_folder_make(const char *path, struct err *err) {
    char *folder = path_dir(path);
    int code = str_equal(path_base(folder), STORE_FOLDER) ? make_ignored_folder(folder, err) : 0;
    if (code == 0) code = file_make_dirs(folder, err);
    free(folder);
    return code;
}
