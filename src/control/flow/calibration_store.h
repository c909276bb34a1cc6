// SPDX-License-Identifier: Apache-2.0
//
// Stored calibrations: <cache folder>/calibrations/<device uuid>-<threads>.json. Written atomically under a
// lock, so that two programs that calibrate at once both keep their study.
#ifndef CONTROL_FLOW_CALIBRATION_STORE_H
#define CONTROL_FLOW_CALIBRATION_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "record/calibration.h"
#include "record/environment.h"

// Path of a device's document; the caller frees it. Bytes of the uuid that suit no file name become '_'.
char *calibration_store_path(const char *device_uuid, int64_t thread_count);
// True if anything is stored, for any device. Cheap, unlike identifying this device, which needs a worker.
bool calibration_store_has_any(void);

// Reads the stored calibration of a device into *ret, to be freed with calibration_fini; empty when nothing
// is stored. Negative: the file cannot be read, or is of another device or number of threads (ERR_DATA names
// the file and says what to do about it).
enum calibration_lookup { CALIBRATION_ABSENT = 0, CALIBRATION_STORED = 1 };
int calibration_store_read(const char *device_uuid, int64_t thread_count, struct calibration *ret,
                           struct err *err);

// Adds studies to the stored calibration of the device in `environment`; *ret is all of it afterwards, to be
// freed with calibration_fini. Nothing is written when the stored file cannot be read.
int calibration_store_add(const struct environment *environment, const struct calibration_study *studies,
                          size_t study_count, struct calibration *ret, struct err *err);

#endif
