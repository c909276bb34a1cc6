// SPDX-License-Identifier: Apache-2.0
//
// The parts of a record that answer questions (describe, devices, ceilings). For record.c only.
#ifndef RECORD_RECORD_QUERY_H
#define RECORD_RECORD_QUERY_H

#include "record/record.h"

void kernel_description_write(struct json_writer *w, const char *key,
                              const struct kernel_description *kernel);
int kernel_description_parse(const struct json_at *at, struct arena *arena, struct kernel_description **ret,
                             struct err *err);
void device_description_write(struct json_writer *w, const char *key,
                              const struct device_description *device);
int device_description_parse(const struct json_at *at, struct arena *arena, struct device_description **ret,
                             struct err *err);
void ceiling_write(struct json_writer *w, const char *key, const struct ceiling *ceiling);
int ceiling_parse(const struct json_at *at, struct arena *arena, struct ceiling *ret, struct err *err);

#endif
