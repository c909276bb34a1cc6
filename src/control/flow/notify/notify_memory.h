// SPDX-License-Identifier: Apache-2.0
//
// What was told, and the messages that are still to be sent: one document, replaced as a whole. So a command
// that is killed leaves a regression either not noticed, or noticed with its message.
#ifndef CONTROL_FLOW_NOTIFY_NOTIFY_MEMORY_H
#define CONTROL_FLOW_NOTIFY_NOTIFY_MEMORY_H

#include "record/member.h"

enum notify_way { NOTIFY_EMAIL, NOTIFY_WEBHOOK, NOTIFY_WAY_COUNT };

struct notified_problem {
    const char *name;
    double change_pct; // NAN: not known
};

struct notification {
    const char *id; // the same whenever it is sent, so that a receiver can know it again
    const char *branch, *run_id, *device, *url; // url: of the job's page; NULL: none
    const char *subject, *text;                 // for people; the text has several lines
    size_t problem_count;
    struct notified_problem *problems;
    bool is_due[NOTIFY_WAY_COUNT];        // it did not go this way yet
    bool is_unanswered[NOTIFY_WAY_COUNT]; // it did, but no answer came in time
    uint32_t failed_commands;             // that could not send it
};

struct told_problem { // a regression that was noticed, until the problem is found not slower
    const char *branch, *device, *problem;
};

struct notify_memory {
    struct arena arena; // owns what a document that was read holds
    size_t told_count, kept_count;
    struct told_problem *told;
    struct notification *kept; // oldest first
};

void notify_memory_fini(struct notify_memory *memory); // accepts a zeroed one
void notify_memory_write(const struct notify_memory *memory, struct strbuf *out);
int notify_memory_write_file(const struct notify_memory *memory, const char *path, struct err *err);
// ERR_DATA with the place. *ret is to be freed with notify_memory_fini when 0 is returned.
int notify_memory_parse(const json_t *root, const char *where, struct notify_memory *ret, struct err *err);
// A file that is not there is an empty memory.
int notify_memory_read_file(const char *path, struct notify_memory *ret, struct err *err);

#endif
