// SPDX-License-Identifier: Apache-2.0
//
// A work order: control's request to one worker, a JSON document on its standard input. The worker answers
// with records (record/record.h) on descriptor 3. Each order gets a fresh process.
#ifndef RECORD_WORK_ORDER_H
#define RECORD_WORK_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/operator.h"
#include "record/metric.h"
#include "record/own_tolerance.h"
#include "record/run_limits.h"
#include "record/sim_script.h"

#define WORK_ORDER_SCHEMA 1
#define WORK_SIDES_MAX    8
#define WORK_COUNTERS_MAX 256

// Tells an interpreter the roots of the work trees of the revisions whose code it runs, a line each
// (peers/assay_revision.py).
#define WORK_REVISION_TREES "ASSAY_REVISION_TREES"

// Exit code of a worker that left because its parent was stopped or gone. No code of an error of ours.
#define WORK_LEFT_EXIT 90
// Of a worker that ended because the process of a kernel was killed from outside: its last record says whose.
#define WORK_KILLED_EXIT 91

enum work_kind {
    WORK_INVALID = 0,
    WORK_DESCRIBE,  // load the sides' modules and list their kernels and parameters
    WORK_DEVICES,   // describe the named device, or list all devices when none is named
    WORK_CEILINGS,  // measure the device's ceilings
    WORK_CHECK,     // check every case on every side; no timing beyond the launch
    WORK_ROUND,     // one round: per case check, stabilize, ABBA samples, check again
    WORK_AUDIT,     // put known wrong results of every case through the comparison; no sides
    WORK_COUNT,     // launch, in a program that counts instructions; no records but what every order has
    WORK_PROFILE,   // count events of the hardware in a launch of one case on one side
    WORK_SUPPORTS,  // of the cases of each index: does the side support one? nothing is launched
    WORK_REFERENCE, // cases of WORK_CASE_REFERENCE alone; no sides
    WORK_LOCK,      // lock the device's clocks, release them when nobody reads the records any more
    WORK_KIND_COUNT
};
const char *work_kind_name(enum work_kind kind);
enum work_kind work_kind_parse(const char *name);

// One side: a kernel in a module. In a comparison side 0 is the baseline (A) and side 1 the candidate (B);
// further sides are peers.
struct work_side {
    const char *label;       // "candidate", "baseline", or the kernel's name
    const char *module_path; // NULL: linked in (worker/module/builtin.h), found by kernel_name
    const char *module_hash; // of its file, as the plan has it (sha256_file_hex); NULL: not known
    const char *kernel_name; // in the module; NULL: the module's only kernel
    // A C function that is called by its signature, on a processor: it gets no stream, so that its process
    // needs no threads of parallel_for. Each of these would be stopped and continued with every batch.
    bool is_plain_call;
    const char *config; // WORK_DESCRIBE: "BLOCK_M=64,BLOCK_N=32" to ask check_config about; NULL: do not ask
    const struct sim_kernel *sim;          // a simulated kernel in place of a module; NULL: none
    const struct own_tolerance *tolerance; // of the kernel; NULL: its case's, else the operator's
    const char *op;                        // operator, when control knows it; NULL: the cases' operator
    const char *python;      // "module:function" in place of a module; NULL: none. Needs a Python worker
    const char *python_path; // folder put first in sys.path: the manifest's; NULL: none
    const char *python_interpreter; // runs the worker (control starts it), or the side's host
    // The interpreter's program and the library that it loads, for the judge that starts the side's host.
    // Control sets them when it sends an order whose kernels run in hosts.
    const char *python_bridge, *python_library;
    const char *python_tree; // root of the work tree of its revision; NULL: the user's own tree
    // Of a reference: "float64", "written", "accept" or "inputs" (peers/assay_reference.py).
    const char *python_mode;
    const char *python_device; // of a reference: computes large problems, "cuda:0"; NULL: none
    // What compilers made of the side, for its hosts to begin with; WORK_SUPPORTS: is made by this order.
    // NULL: its hosts compile.
    const char *cache_dir;
    uint32_t output_fd; // the worker's: what the side's host prints; 0: the worker's own outputs
};

// A bit of a case's index, beside those of a check: its reference goes into reference_dir before any kernel
// is loaded, and nothing else is done with it.
#define WORK_CASE_REFERENCE (UINT32_C(1) << 31)

struct work_case {
    uint32_t index; // the case's index in the plan; records repeat it
    struct problem problem;
    const char *short_name;   // "s512", may be NULL
    const char *distribution; // input distribution
    enum memory_layout memory_layout;
    const struct own_tolerance *tolerance; // of its suite; NULL: none
    uint64_t seed;                         // of the inputs
    uint32_t side_mask;                    // bit k: side k takes part (a finished or failed side is left out)
};

enum cache_mode { CACHE_INVALID = 0, CACHE_COLD, CACHE_ROTATE, CACHE_WARM, CACHE_COUNT };
const char *cache_mode_name(enum cache_mode mode);
enum cache_mode cache_mode_parse(const char *name);

// Cool: the device pauses after every sample, and sides alternate sample by sample. Sustained: it never
// pauses, and sides alternate in blocks of a second.
enum power_mode { POWER_MODE_INVALID = 0, POWER_MODE_COOL, POWER_MODE_SUSTAINED, POWER_MODE_COUNT };
const char *power_mode_name(enum power_mode power_mode);
enum power_mode power_mode_parse(const char *name);

// Whether the kernels run in the process that checks and times them.
enum isolation { ISOLATION_INVALID = 0, ISOLATION_NONE, ISOLATION_PROCESS, ISOLATION_COUNT };
const char *isolation_name(enum isolation isolation); // "none", "process"
enum isolation isolation_parse(const char *name);

#define ROUNDS_LIMIT 1000 // most rounds of a run, a plan or a study

// ABBA pairs of a problem in a round. The rounds rule counts rounds, so a round has few samples, and more
// for a noisy problem.
#define ROUND_PAIRS         20
#define ROUND_PAIRS_NOISY   50
#define ROUND_PAIRS_NOISIER 100

struct sampling {
    uint32_t sample_count;         // per side (ABBA pairs in a round with two sides)
    uint32_t sample_count_noisy;   // when CV exceeds 3 % (0: do not adapt)
    uint32_t sample_count_noisier; // when CV exceeds 5 %
    uint32_t warmup_count;         // minimum launches before sampling
    // stop when the half width of the median's interval is below this per cent of the median; 0: fixed count
    double until_pct;
    uint64_t sample_time_ns; // minimum length of a sample, reached by repeating launches
    uint64_t stabilize_ns;   // minimum, once per worker
    uint64_t case_budget_ns; // sampling of one case stops after this, with the samples it has
    enum cache_mode cache_mode;
    enum power_mode power_mode;
    uint32_t locked_clock_mhz; // the clock that the device is locked at; 0: not locked
    enum isolation isolation;  // INVALID: not decided; a worker takes it as none
    bool is_interpreter_fresh; // --fresh-interpreter: none is forked, and compilers begin with an empty cache
    enum metric metric;
    struct run_limits limits; // of these a result keeps busy_pct and priority; plan and work order all
};

struct work_order {
    enum work_kind kind;
    struct operator_set operators; // of its cases and sides
    const char *device;            // "cpu", "sim:steady"
    const struct sim_device *sim;  // script of a simulated device; NULL: none
    uint32_t thread_count;         // 0: all processors we may use
    const char *processors;        // where they run: "0-3,6"; NULL: on all that we may use
    uint32_t round;                // WORK_ROUND: number of the round, from 0
    uint32_t attempt;           // of this round: 0, or the number of the repetition; copied into every record
    uint64_t seed;              // of the run; drawn orders depend on (seed, round)
    bool is_first_side_flipped; // the last side is started, checked and timed first; alternates
    const char *lock_clocks;    // WORK_LOCK: "base", "max" or a number of MHz
    const char *reference_dir;  // cache folder of float64 results; NULL: not cached
    const char *program;        // assay's own, that hosts are; NULL: what carries out the order is it
    const char *scratch_dir;    // hosts get folders in it, to one: that folder; NULL: they may write nowhere
    bool may_lack_sandbox; // hosts start where the system cannot filter calls: nobody asked for isolation
    uint32_t launch_count; // WORK_COUNT: how often
    size_t counter_count;  // WORK_PROFILE: what is counted (record/launch_counters.h)
    const char **counters;
    uint32_t repeat_count; // --repeat: outputs must be bitwise equal over this many launches; 0: two launches
    size_t side_count;
    struct work_side sides[WORK_SIDES_MAX];
    size_t case_count;
    struct work_case *cases; // in the order to be run
    struct sampling sampling;
};

// spec: 100 samples, 20 warm-ups, 1 ms a sample, stabilize 200 ms, rotate, cool
struct sampling sampling_default(void);

// Of an order without limits.memory_gb: half of the machine's memory; 0: not known.
uint64_t work_default_memory_bytes(void);

extern const struct member_table sampling_members;
extern const struct member_table work_order_members; // all but "schema"
// One without a cache mode is not written. An absent one is read as the default: 0, else 1.
void sampling_write(struct json_writer *w, const char *key, const struct sampling *sampling);
int sampling_find(const struct json_at *at, const char *key, struct sampling *ret, struct err *err);
// What each side of the case is compared by: the kernel's tolerance, else the suite's; NULL: the operator's.
void work_order_find_tolerances(const struct work_order *order, const struct work_case *item,
                                const struct own_tolerance *ret[WORK_SIDES_MAX]);
void work_order_write(const struct work_order *order, struct strbuf *out); // one document
int work_order_parse(const char *text, size_t length, struct arena *arena, struct work_order *ret,
                     struct err *err);

#endif
