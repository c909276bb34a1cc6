// SPDX-License-Identifier: Apache-2.0
//
// Inputs of a declared operator told as what fills them, in place of their bytes: to the process of a
// reference, which fills them in the memory of the device where it computes (peers/assay_reference.py).
#ifndef OP_DECLARED_DECLARED_FILLS_H
#define OP_DECLARED_DECLARED_FILLS_H

#include "device/kernel_launch.h"
#include "op/declared/declared.h"
#include "op/declared/device_declared_args.h"

// A tensor behind the inputs: a record of each of them.
#define DECLARED_FILLS "assay_fills"
// What such a process says, when it is prepared for a problem, if it reads them.
#define DECLARED_FILLS_NOTE "fills"

struct declared_fill_record {
    int32_t dtype; // enum assay_dtype, of what is filled; 0: the input's own memory has its bytes
    int32_t reserved;
    struct dev_declared_fill fill; // of a dense tensor; without its address
};

// The same with that tensor, unless there is no room for it. What *from has in common with *ret is not
// copied. Returns whether there was.
bool declared_with_fills(struct arena *arena, const struct declared *from, struct declared *ret);
// What fills tensor tensor_index of the problem with that seed. false: a device cannot, or it is written to.
bool declared_record_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                          uint32_t tensor_index, struct declared_fill_record *ret);
// fill: with addresses.
struct kernel_launch declared_fill_launch(const struct dev_declared_fill *fill);

#endif
