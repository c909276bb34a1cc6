// SPDX-License-Identifier: Apache-2.0
//
// What is left to do once a kernel has broken the device for this process.
#ifndef WORKER_ORDER_WORK_LOST_H
#define WORKER_ORDER_WORK_LOST_H

#include "record/record.h"

struct work;

// Once the device is lost to this process: writes the record (NULL: none) and ends the process with
// WORK_FAULT_EXIT.
void work_end_if_lost(struct work *work, struct record *record);

#endif
