// SPDX-License-Identifier: Apache-2.0
//
// The channel between the judge and a host: one packet is one command or one answer, over a socket that keeps
// packets apart. Tensors do not travel: the judge sends descriptors of their memory. The judge treats every
// answer as hostile: its size, its number and its figures are checked, and its text is data.
#ifndef WORKER_HOST_HOST_CHANNEL_H
#define WORKER_HOST_HOST_CHANNEL_H

#include "op/operator.h"
#include "worker/backend/backend.h"

#define HOST_TEXT_BYTES 512
#define HOST_FDS_MAX    OP_TENSORS_MAX
#define HOST_SETS_MAX   4096 // sets of tensors of one case

enum host_command {
    HOST_INVALID = 0,
    HOST_HELLO,         // nothing: an interpreter can run the bridge
    HOST_DESCRIBE,      // descriptors: the order, the module (where there is one), a file of the judge's that
                        // gets a record of kind 'kernel' a line; only command of such a host
    HOST_LOAD,          // descriptors: the order (a work order of one side), the module (where there is one)
    HOST_PREPARE,       // a case of the order: supports, prepare
    HOST_MAP_SET,       // descriptors: one a tensor. Takes the place of an earlier set of that number
    HOST_MAP_WORKSPACE, // descriptor: its memory
    HOST_KEEP_INPUTS,   // of that set, to come late in the next batch that wants it: late_inputs.h
    HOST_RUN,           // launches on sets that are mapped; none, to time what surrounds them
    HOST_CALLS_BEGIN,   // launches that are timed one by one begin: batch_hooks
    HOST_CALLS_END,
    HOST_RELEASE, // release; the sets go
    HOST_TIGHTEN, // the second filter of system calls
    HOST_END,     // leave through exit(): destructors run
    HOST_COMMAND_COUNT
};

struct host_run {
    uint32_t first_index; // number of sets[0] of the batch
    uint32_t set_count, first_set, launches;
    uint32_t is_timed, is_by_call, is_behind, is_cold;
    uint32_t part; // enum batch_part
    uint32_t has_late;
    uint64_t behind_ns, blocking_ns, late_seed; // late_seed: has_late
};

struct host_request {
    uint32_t command; // enum host_command
    uint32_t number;  // of the request; the answer repeats it
    uint32_t side;    // HOST_LOAD: of the judge's order
    uint32_t item;    // HOST_PREPARE: of the case in the order; HOST_MAP_SET, HOST_KEEP_INPUTS: of the set
    uint32_t window_count;
    uint32_t has_module; // HOST_LOAD, HOST_DESCRIBE: the second descriptor is the module
    struct host_run run;
    struct buffer_window windows[HOST_FDS_MAX]; // last: only window_count of them travel
};

enum host_answer_kind {
    HOST_ANSWER_INVALID = 0,
    HOST_ANSWER_DONE,  // status says how it went
    HOST_ANSWER_ERROR, // an error of assay's own: status is its err_code, text its sentence
    HOST_ANSWER_FAULT  // memory was accessed that must not be; the host ends
};

struct host_fault {
    uint32_t place;  // enum buffer_place
    uint32_t access; // enum fault_access
    uint64_t distance_bytes;
    char label[TENSOR_NAME_BYTES];
};

struct host_answer {
    uint32_t kind; // enum host_answer_kind
    uint32_t number;
    int32_t status;       // enum assay_status of the callback
    uint32_t callback;    // HOST_PREPARE: enum kernel_callback that gave it
    uint32_t device_loss; // enum device_loss: nothing works in the host any more
    uint32_t reserved;
    uint64_t workspace_bytes;
    struct batch_time time;
    struct host_fault fault;
    char text[HOST_TEXT_BYTES]; // the callback's sentence
};

struct host_fds {
    size_t count;
    int items[HOST_FDS_MAX];
};

void host_fds_close(struct host_fds *fds);

// Sends one packet with descriptors (NULL: none). 0, or -1 with errno.
int host_channel_send(int fd, const void *packet, size_t bytes, const struct host_fds *fds);
// Waits for one packet of exactly that size until deadline_ns (clock_ns; 0: for ever). Returns 1; 0: the
// other end is closed; -1 with errno (ETIMEDOUT; EAGAIN: the socket's own limit, SO_RCVTIMEO; EBADMSG: a
// packet of another size, or with more descriptors than it may bring). *ret_fds (NULL: none are taken): the
// caller closes them.
int host_channel_receive(int fd, void *packet, size_t bytes, struct host_fds *ret_fds, uint64_t deadline_ns);
// The same for a request, without the windows beyond its window_count.
int host_request_send(int fd, const struct host_request *request, const struct host_fds *fds);
int host_request_receive(int fd, struct host_request *ret, struct host_fds *ret_fds);
// Returns when there is something to receive, or after limit_ns, without sleeping: a thread that sleeps takes
// tens to hundreds of microseconds to wake on a virtual machine. At once on machines with few processors.
void host_channel_spin(int fd, uint64_t limit_ns);

#endif
