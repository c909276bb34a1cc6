// SPDX-License-Identifier: Apache-2.0
//
// Two problems of one kernel: the one that needs less shared memory is prepared later, and both are launched.
#include "emulator.h"

#include <stdio.h>

#include "common/cuda_host.cuh"

struct made_problem {
    int unused;
};

static void made_kernel(made_problem) {}

void emulator_call(const void *, const void *) {
    made_kernel({});
}

int main() {
    static const size_t bytes[] = {100 * 1024, 60 * 1024};
    const assay_env env = {sizeof env, 1, 0};
    void *states[2];
    for (int i = 0; i < 2; ++i) {
        const cuda_grid grid = {(const void *)made_kernel, 1, 32, bytes[i], 1};
        if (cuda_host_prepare(made_problem(), grid, &env, &states[i], nullptr) != ASSAY_OK) return 1;
    }
    for (int i = 0; i < 2; ++i) {
        const cuda_grid &grid = static_cast<cuda_state<made_problem> *>(states[i])->grid;
        const int status = cuda_host_launch(&grid, &states[i], nullptr, nullptr);
        printf("%zu bytes: %s\n", grid.shared_bytes, status == ASSAY_OK ? "launched" : "refused");
        cuda_host_release(states[i]);
    }
    return 0;
}
