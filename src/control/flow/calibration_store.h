// SPDX-License-Identifier: Apache-2.0
//
// Where calibrations lie: <cache folder>/calibrations/<device uuid>-<threads>.json, beside the ceilings.
// Written atomically under a lock, so that two programs that calibrate at once both keep their study.
#ifndef CONTROL_FLOW_CALIBRATION_STORE_H
#define CONTROL_FLOW_CALIBRATION_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/calibration.h"
#include "record/environment.h"

// Path of a device's document; caller frees. Bytes of the uuid that do not belong into a file's name become
// '_'.
char *calibration_store_path(const char *device_uuid, int64_t thread_count);
// Is anything stored, of whichever device? Asking which device this is takes a worker: not for nothing.
bool calibration_store_has_any(void);

// 1: *ret is what is stored, to be freed with calibration_fini; 0: nothing is, and *ret is empty; negative:
// what is there cannot be read, or is of another device or number of threads (ERR_DATA names the file and
// says what to do about it).
int calibration_store_read(const char *device_uuid, int64_t thread_count, struct calibration *ret,
                           struct err *err);

// Adds studies to what is stored of the device in `environment`; *ret is all of it afterwards, to be freed
// with calibration_fini. Nothing is written when what is there cannot be read.
int calibration_store_add(const struct environment *environment, const struct calibration_study *studies,
                          size_t study_count, struct calibration *ret, struct err *err);

#endif
