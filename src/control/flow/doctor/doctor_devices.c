// SPDX-License-Identifier: Apache-2.0
//
// Devices as a worker sees them, and the labels that a runner with them should have.
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "control/flow/doctor/doctor.h"
#include "control/flow/worker_query.h"
#include "control/plan/device_kind.h"

struct seen {
    struct doctor *doctor;
    struct strbuf labels; // "self-hosted, gpu, h200"
};

// "NVIDIA H200" -> "h200": the last word, as labels are written.
static void add_label(struct strbuf *labels, const char *name) {
    const char *word = name;
    for (const char *c = name; *c; ++c)
        if (*c == ' ' && isalnum((unsigned char)c[1])) word = c + 1;
    strbuf_add(labels, ", gpu, ");
    for (; *word && *word != ' '; ++word)
        if (isalnum((unsigned char)*word) || *word == '-')
            strbuf_add_char(labels, (char)tolower((unsigned char)*word));
}

// Not tried, since trying would change the clock.
static void examine_clock_control(struct doctor *doctor, const char *uuid) {
    if (geteuid() == 0)
        doctor_add(doctor, DOCTOR_OK, "clock control", NULL,
                   "as root, --lock-clocks may hold clocks, unless a container forbids it");
    else
        doctor_add(doctor, DOCTOR_NOTE, "clock control",
                   arena_format(doctor->arena, "# sudo nvidia-smi -i %s -lgc MHZ,MHZ", uuid),
                   "not root: --lock-clocks is refused, and clocks are measured as they come");
}

static void examine_gpu(struct seen *seen, const struct device_description *device) {
    struct doctor *doctor = seen->doctor;
    if (seen->labels.length == 0) strbuf_add(&seen->labels, "self-hosted");
    add_label(&seen->labels, device->name);
    if (device->gpu.persistence == GPU_MODE_OFF)
        doctor_add(doctor, DOCTOR_NOTE, "persistence mode",
                   arena_format(doctor->arena, "sudo nvidia-smi -i %s -pm 1", device->uuid),
                   "off on %s: the driver is loaded anew for each run, which takes seconds", device->device);
    if (device->gpu.persistence == GPU_MODE_ON)
        doctor_add(doctor, DOCTOR_OK, "persistence mode", NULL, "on, %s", device->device);
    if (device->gpu.mig == GPU_MODE_ON)
        doctor_add(doctor, DOCTOR_NOTE, "MIG", NULL, "on, %s: neighbours share memory and power",
                   device->device);
}

static int on_device(void *arg, const struct device_description *device, struct err *err) {
    struct seen *seen = arg;
    struct doctor *doctor = seen->doctor;
    const struct device_kind *kind = device_kind_find(device->backend);
    (void)err;
    if (!device->device) {
        doctor_add(doctor, DOCTOR_NOTE, "GPU", NULL, "%s", str_or(device->detail, "none"));
        return 0;
    }
    const char *topic = arena_strdup(doctor->arena, device->device);
    if (!device->is_available) {
        doctor_add(doctor, DOCTOR_LACKING, topic, NULL, "%s", str_or(device->detail, "not available"));
        return 0;
    }
    doctor_add(doctor, DOCTOR_OK, topic, NULL, "%s, driver %s", device->name,
               str_or(device->driver, "not known"));
    if (kind && kind->is_accelerator) examine_gpu(seen, device);
    if (kind && kind->has_clock_lock) examine_clock_control(doctor, device->uuid);
    return 0;
}

void doctor_examine_devices(struct doctor *doctor) {
    struct seen seen = {.doctor = doctor};
    struct err err = {0};
    if (query_devices(NULL, on_device, &seen, &err) < 0)
        doctor_add(doctor, DOCTOR_LACKING, "devices", NULL, "%s", err.text);
    doctor_add(doctor, DOCTOR_OK, "runner's labels", NULL, "[%s]",
               seen.labels.length ? seen.labels.text : "self-hosted, cpu");
    strbuf_fini(&seen.labels);
}
