// SPDX-License-Identifier: Apache-2.0
//
// Inputs that the process of a reference written in Python fills on the device where it computes
// (op/declared/declared_fills.h).
#ifndef WORKER_HOST_PYTHON_FILL_H
#define WORKER_HOST_PYTHON_FILL_H

#include <assay/kernel.h>

// Fills dense memory of the device ("cuda:0"), in the context that all libraries of this process share, and
// waits for it. record: a struct declared_fill_record, of a tensor of at least one element. Negative: why is
// in the message.
__attribute__((visibility("default"))) int assay_python_fill(const char *device, const void *record,
                                                             void *data, struct assay_message *message);

#endif
