// SPDX-License-Identifier: Apache-2.0
//
// The one symbol of libassay_worker.so: peers/assay_bridge.py calls it from an interpreter.
#include "worker/work_python.h"

#include "worker/work_main.h"

#include <stdio.h>

int assay_python_worker_main(const struct python_callbacks *callbacks) {
    if (!callbacks || callbacks->struct_size != sizeof *callbacks) {
        fputs("assay: error: assay_bridge.py and libassay_worker.so are of different versions; install assay "
              "anew\n",
              stderr);
        return err_exit_code(ERR_UNAVAILABLE);
    }
    python_kernel_set_callbacks(callbacks);
    return work_main();
}
