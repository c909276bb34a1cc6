// SPDX-License-Identifier: Apache-2.0
//
// Work that takes time, off the thread that carries all connections: each kind in a lane with threads of its
// own, so that a light query waits for no heavy one, and neither waits for an upload.
#ifndef SERVE_LANES_H
#define SERVE_LANES_H

enum lane {
    LANE_NONE, // done at once: what is in memory
    LANE_LIGHT,
    LANE_HEAVY,  // these two leave the processor to the others
    LANE_UPLOAD, // one after the other
    LANE_COUNT,
};

struct lane_work {
    enum lane lane;
    // What it asks for, for as long as it waits; NULL: nothing that others ask for. Works of one key that
    // wait while another one of it runs are run once, after that one: none gets an answer that is older than
    // its question, and however many ask, one thread is busy with it.
    const char *key;
    // In a thread of the lane. It is called for one of those with the same key; `same` leads to the others.
    void (*run)(struct lane_work *work);
    void *arg;
    struct lane_work *same;
    struct lane_work *next; // of the lane
};

struct lanes;

struct lanes *lanes_start(void); // NULL: no threads
void lanes_add(struct lanes *lanes, struct lane_work *work);
void lanes_stop(struct lanes *lanes); // what waits is run before; accepts NULL

#endif
