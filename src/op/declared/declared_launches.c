// SPDX-License-Identifier: Apache-2.0
//
// The device kernel of declared operators (device_declared.cuh): it fills inputs. What is right is computed
// by their references, on the host.
#include "op/declared/declared_fills.h"
#include "op/declared/declared_internal.h"
#include "op/seed_stream.h"

bool declared_device_fills(int32_t family) {
    return family != FILL_MADE; // the host has it
}

struct kernel_launch declared_fill_launch(const struct dev_declared_fill *fill) {
    return kernel_launch_make("assay_declared_fill", input_fill_blocks(fill->count), INPUT_FILL_THREADS, fill,
                              sizeof *fill);
}

static size_t device_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                          const struct assay_tensor *tensor, const void *table,
                          struct kernel_launch ret[OP_PROGRAMS_MAX]) {
    struct dev_declared_fill args;
    if (declared_fill_prepare(problem, distribution, seed, tensor, &args, NULL) < 0) return 0;
    if (!declared_device_fills(args.family)) return 0;
    args.table = table;
    ret[0] = declared_fill_launch(&args);
    return 1;
}

static const char *const device_entries[] = {"assay_declared_fill", NULL};

const struct op_device declared_device = {
    .entries = device_entries,
    .has_normal_table = true,
    .fill = device_fill,
};
