// SPDX-License-Identifier: Apache-2.0
//
// The one symbol of libassay_worker.so: peers/assay_bridge.py calls it from an interpreter.
#include "worker/order/work_python.h"

#include <stdio.h>

#include "worker/order/work_main.h"

int assay_python_worker_main(const struct python_callbacks *callbacks) {
    struct err err = {0};
    if (python_kernel_check_callbacks(callbacks, &err) < 0) {
        fprintf(stderr, "assay: error: %s\n", err.text);
        return err_exit_code(err.code);
    }
    python_kernel_set_callbacks(callbacks);
    return work_main();
}
