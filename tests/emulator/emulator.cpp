// SPDX-License-Identifier: Apache-2.0
//
// Fibers, waiting, asynchronous hardware work, launches.
#include <algorithm>
#include <map>
#include <random>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include "warp.h"

dim3 threadIdx, blockIdx, gridDim;

namespace emulator {

// A stack is followed by a gap, so that the used ends of stacks do not share a few sets of the caches.
static constexpr size_t STACK_BYTES = 128 * 1024, STACK_STRIDE = STACK_BYTES + 17 * 64;
static constexpr size_t SHARED_ALIGNMENT = 1024; // of dynamic shared memory, at most

// ---- state of a launch ----

struct named_barrier {
    int arrived;
    uint32_t generation;
    bool any[2]; // in this generation, and in the next one
};

struct work {
    work_kind kind;
    uint32_t group;
    std::function<void()> run;
};

// A fiber starts once, through a context; later switches are jumps, which make no system calls. It runs the
// threads of one cluster after the other.
struct fiber {
    thread self;
    jmp_buf place;
    bool has_begun;
    const char *why;
    std::vector<work> pending; // of kinds that threads wait for
};

// Over as soon as the masked bits of the word are not `value`. Apart from the fibers, as all are looked at
// often.
struct waiting {
    const uint32_t *word;
    uint32_t mask, value;
};

static const uint32_t no_word = 0;
static const waiting runnable = {&no_word, 0, 1}, finished = {&no_word, 0, 0};

static bool is_over(const waiting &of) {
    return (*of.word & of.mask) != of.value;
}

enum pace { PACE_EARLY, PACE_LATE, PACE_DRAWN, PACE_COUNT };

static struct {
    std::vector<fiber> fibers;
    std::vector<waiting> waits; // of fibers
    size_t unfinished;          // fibers
    unsigned char *stacks;
    size_t stack_count;
    std::vector<warp> warps;
    std::vector<block> blocks;
    std::vector<std::vector<named_barrier>> named;
    std::vector<work> pending; // of kinds that no thread waits for
    size_t pending_of_threads;
    uint32_t phases;                     // that barriers in shared memory have ended
    unsigned char *shared;               // of all thread blocks of a cluster
    uint32_t shared_first, shared_bytes; // of the launch's dynamic shared memory
    uint32_t cluster_arrived, cluster_is_complete;
    const std::function<void()> *call;
    jmp_buf scheduler;
    bool has_failed;
    std::string failure;
    pace speed;
    // True: all runnable threads take turns. False: only the threads of the first runnable warp run, one
    // thread block after the other.
    bool is_fair;
    std::mt19937 random;
    uint32_t launches;
} state;

thread *now;

// Thrown with the reason in state.failure, only on the scheduler's stack: a fiber jumps there first.
struct launch_failure {};

static bool draw(unsigned one_in) {
    return state.random() % one_in == 0;
}

bool is_done_early(unsigned one_in) {
    return state.speed == PACE_EARLY || (state.speed == PACE_DRAWN && draw(one_in));
}

void fail(const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    state.failure = text;
    state.has_failed = true;
    if (now) _longjmp(state.scheduler, 1); // abandons the fiber
    throw launch_failure();
}

// ---- waiting ----

static fiber *current() {
    return reinterpret_cast<fiber *>(now); // its first member
}

static void leave(fiber &self, const waiting &until) {
    state.waits[(size_t)(&self - state.fibers.data())] = until;
    if (!_setjmp(self.place)) _longjmp(state.scheduler, 1);
}

static void wait_on(const waiting &until, const char *why) {
    if (is_over(until) && !draw(8)) return;
    current()->why = why;
    leave(*current(), until);
}

static const char *meeting_names[] = {"__syncwarp", "a shuffle", "a vote", "a product", "a matrix"};

bool meet_last(meeting what, uint64_t brought, const uint64_t **ret_all) {
    warp &in = *now->in;
    if (in.arrived > 0 && in.what != what)
        fail("lanes of a warp are at different places: one at %s, others at %s", meeting_names[what],
             meeting_names[in.what]);
    const uint32_t generation = in.generation;
    uint64_t *all = in.brought[generation % 2];
    *ret_all = all;
    in.what = what;
    all[now->lane] = brought;
    if (++in.arrived == WARP) return true;
    wait_on({&in.generation, ~0u, generation}, meeting_names[what]);
    return false;
}

void meet_end() {
    now->in->arrived = 0;
    ++now->in->generation;
}

static named_barrier &named(int number) {
    return state.named[(size_t)now->of->rank][(size_t)number];
}

void barrier_arrive(int number, int threads) {
    named_barrier &at = named(number);
    if (++at.arrived < threads) return;
    at.arrived = 0;
    ++at.generation;
    at.any[at.generation % 2] = false; // all threads have read the old value
}

bool barrier_any(bool predicate) {
    bool &ret = named(0).any[named(0).generation % 2];
    ret |= predicate;
    barrier_wait(0, now->of->thread_count);
    return ret;
}

void barrier_wait(int number, int threads) {
    named_barrier &at = named(number);
    const uint32_t generation = at.generation;
    barrier_arrive(number, threads);
    wait_on({&at.generation, ~0u, generation}, "a barrier of the thread block");
}

void cluster_arrive() {
    state.cluster_is_complete = ++state.cluster_arrived == state.fibers.size();
}
void cluster_wait() {
    wait_on({&state.cluster_is_complete, ~0u, 0}, "the cluster's barrier");
}

// ---- asynchronous work ----

static size_t pending_count() {
    return state.pending.size() + state.pending_of_threads;
}

static void do_one(std::vector<work> &of, size_t i) {
    const work item = std::move(of[i]);
    of[i] = std::move(of.back());
    of.pop_back();
    item.run();
}

// i: below pending_count().
static void do_pending(size_t i) {
    if (i < state.pending.size()) {
        do_one(state.pending, i);
        return;
    }
    i -= state.pending.size();
    fiber *by = state.fibers.data();
    for (; i >= by->pending.size(); ++by) i -= by->pending.size();
    --state.pending_of_threads;
    do_one(by->pending, i);
}

bool is_done_now() {
    return is_done_early(2);
}

void later(work_kind kind, std::function<void()> run) {
    std::vector<work> &of = kind == WORK_FREE ? state.pending : current()->pending;
    of.push_back({kind, now->work_groups[kind], std::move(run)});
    state.pending_of_threads += kind != WORK_FREE;
}

void work_commit(work_kind kind) {
    ++now->work_groups[kind];
}

void work_wait(work_kind kind, uint32_t pending) {
    std::vector<work> &of = current()->pending;
    size_t kept = 0;
    for (size_t i = 0; i < of.size(); ++i)
        if (of[i].kind == kind && of[i].group + pending < now->work_groups[kind])
            of[i].run();
        else if (kept++ != i)
            of[kept - 1] = std::move(of[i]);
    state.pending_of_threads -= of.size() - kept;
    of.resize(kept);
}

// ---- shared memory ----

unsigned char *at(uint32_t address, uint32_t bytes) {
    const uint32_t rank = address / RANK_BYTES, offset = address % RANK_BYTES;
    if (rank >= state.blocks.size() || offset < state.shared_first ||
        offset + bytes > state.shared_first + state.shared_bytes)
        fail("address %#x is outside of shared memory", address);
    return state.blocks[rank].shared + offset;
}

uint32_t address_of(const void *place) {
    const ptrdiff_t offset = static_cast<const unsigned char *>(place) - now->of->shared;
    if (offset < 0 || offset >= SHARED_BYTES)
        fail("an address of shared memory is asked for that is in none");
    return (uint32_t)now->of->rank * RANK_BYTES + (uint32_t)offset;
}

uint32_t swizzled(uint32_t address, uint32_t row_bytes) {
    return address ^ (address >> 7 & (row_bytes == 128 ? 7 : 3)) << 4;
}

// Aligned to `alignment` and not more, so that a kernel cannot rely on more.
unsigned char *dynamic_shared(uint32_t alignment) {
    if (alignment > SHARED_ALIGNMENT) fail("dynamic shared memory aligned to %u bytes", alignment);
    state.shared_first = alignment;
    return now->of->shared + alignment;
}

// ---- barriers in shared memory ----

struct mbarrier {
    int8_t expected, pending;
    uint8_t phase;
    int32_t bytes;
};
static_assert(sizeof(mbarrier) == 8, "a barrier is 8 bytes");

static mbarrier &as_barrier(const uint64_t *barrier) {
    return *reinterpret_cast<mbarrier *>(const_cast<uint64_t *>(barrier));
}

static void end_phase(mbarrier &of) {
    if (of.pending < 0) fail("more arrivals at a barrier than it was made for (%d)", of.expected);
    if (of.pending > 0 || of.bytes != 0) return;
    of.pending = of.expected;
    of.phase ^= 1;
    ++state.phases;
}

void mbarrier_init(uint64_t *barrier, int arrivals) {
    if (arrivals < 1 || arrivals > INT8_MAX) fail("a barrier for %d arrivals is not modelled", arrivals);
    as_barrier(barrier) = {(int8_t)arrivals, (int8_t)arrivals, 0, 0};
}

void mbarrier_arrive(uint64_t *barrier, int64_t expected_bytes) {
    mbarrier &of = as_barrier(barrier);
    of.bytes += (int32_t)expected_bytes;
    --of.pending;
    end_phase(of);
}

void mbarrier_complete(uint64_t *barrier, int64_t bytes) {
    mbarrier &of = as_barrier(barrier);
    of.bytes -= (int32_t)bytes;
    end_phase(of);
}

bool mbarrier_test(const uint64_t *barrier, uint32_t parity) {
    return as_barrier(barrier).phase != parity;
}

void mbarrier_wait(const uint64_t *barrier, uint32_t parity) {
    constexpr size_t shift = 8 * offsetof(mbarrier, phase);
    wait_on({reinterpret_cast<const uint32_t *>(barrier), 0xffu << shift, parity << shift},
            "a barrier in shared memory");
}

// ---- launching ----

static void run_threads() {
    for (;;) {
        (*state.call)();
        if (!current()->pending.empty())
            fail("a thread ends while copies of its own are under way in its thread block's shared memory");
        --state.unfinished;
        leave(*current(), finished);
    }
}

static dim3 index_in(const dim3 &grid, unsigned number) {
    return dim3(number % grid.x, number / grid.x % grid.y, number / grid.x / grid.y);
}

static void make_blocks(const configuration &of, unsigned first) {
    for (unsigned rank = 0; rank < of.cluster; ++rank) {
        state.blocks[rank] = {index_in(of.grid, first + rank), (int)rank, (int)of.threads,
                              state.shared + rank * SHARED_BYTES};
        memset(state.blocks[rank].shared, 0xff, // NaN in every type
               std::min(of.shared_bytes + SHARED_ALIGNMENT, (size_t)SHARED_BYTES));
    }
    for (std::vector<named_barrier> &barriers : state.named) barriers.assign(NAMED_BARRIERS, {});
    state.warps.clear();
    state.warps.resize(of.cluster * of.threads / WARP);
    for (unsigned i = 0; i < of.cluster * of.threads; ++i) {
        const unsigned x = i % of.threads;
        state.fibers[i].self = {
            dim3(x), &state.blocks[i / of.threads], &state.warps[i / WARP], (int)(x % WARP), 0, 0, {}, {}};
        state.waits[i] = runnable;
    }
    state.unfinished = state.fibers.size();
    state.cluster_arrived = state.cluster_is_complete = 0;
}

static void begin(size_t i) {
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = state.stacks + i * STACK_STRIDE;
    context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&context, run_threads, 0);
    setcontext(&context);
}

static void resume(size_t i) {
    fiber &which = state.fibers[i];
    now = &which.self;
    threadIdx = now->index;
    blockIdx = now->of->index;
    if (!_setjmp(state.scheduler)) {
        if (which.has_begun) _longjmp(which.place, 1);
        which.has_begun = true;
        begin(i);
    }
    now = nullptr;
    if (state.has_failed) throw launch_failure();
}

// True if a thread has run. order: of warps.
static bool resume_some(const std::vector<size_t> &order) {
    bool ret = false;
    for (const size_t of : order) {
        for (size_t i = of * WARP; i < (of + 1) * WARP; ++i)
            if (is_over(state.waits[i])) {
                resume(i);
                ret = true;
            }
        if (ret && !state.is_fair) break;
    }
    return ret;
}

[[noreturn]] static void fail_deadlock() {
    std::map<std::string, int> waiting;
    for (size_t i = 0; i < state.fibers.size(); ++i)
        if (state.waits[i].word != finished.word) ++waiting[state.fibers[i].why];
    std::string all;
    for (const auto &of : waiting) all += " " + std::to_string(of.second) + " at " + of.first + ";";
    fail("all threads wait:%s nothing is on its way", all.c_str());
}

static void do_any_pending() {
    do_pending(state.random() % pending_count());
}

static void run_cluster() {
    std::vector<size_t> order(state.warps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), state.random);
    const size_t block_warps = (size_t)state.blocks[0].thread_count / WARP;
    if (!state.is_fair)
        std::stable_sort(order.begin(), order.end(),
                         [=](size_t x, size_t y) { return x / block_warps < y / block_warps; });
    while (state.unfinished > 0) {
        if (state.is_fair) std::shuffle(order.begin(), order.end(), state.random);
        const bool goes_on = resume_some(order);
        const uint32_t phases = state.phases;
        if (pending_count() == 0 && !goes_on) fail_deadlock();
        if (!goes_on) {
            do { // what is on its way lets a thread go on by ending a phase
                do_any_pending();
            } while (pending_count() > 0 && state.phases == phases);
        } else if (pending_count() > 0 && state.speed == PACE_DRAWN && draw(4)) {
            do_any_pending();
        }
    }
    for (const work &of : state.pending) of.run();
    state.pending.clear();
}

// All fibers begin anew if more are needed than ever before, or after a failure, which leaves fibers within
// threads.
static void allocate(const configuration &of) {
    const size_t threads = (size_t)of.cluster * of.threads;
    state.blocks.resize(of.cluster);
    state.named.resize(of.cluster);
    if (state.has_failed || threads > state.stack_count) {
        state.fibers.clear();
        state.pending.clear();
        state.pending_of_threads = 0;
    }
    if (threads > state.stack_count) {
        if (state.stacks) munmap(state.stacks, state.stack_count * STACK_STRIDE);
        state.stacks =
            static_cast<unsigned char *>(mmap(nullptr, threads * STACK_STRIDE, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        state.stack_count = threads;
    }
    state.fibers.resize(threads);
    state.waits.resize(threads);
    static std::vector<unsigned char> memory;
    memory.resize((size_t)SHARED_BYTES * of.cluster + 1024, 0xff);
    state.shared = memory.data() + (1024 - reinterpret_cast<uintptr_t>(memory.data()) % 1024) % 1024;
    state.shared_bytes = (uint32_t)of.shared_bytes;
    state.has_failed = false;
}

const char *launch(const configuration &of, const std::function<void()> &call) {
    state.random.seed(++state.launches);
    state.speed =
        (pace)(state.launches % PACE_COUNT); // period 3, and is_fair 2: all combinations in six launches
    state.is_fair = state.launches % 2;
    state.call = &call;
    gridDim = of.grid;
    allocate(of);
    try {
        const unsigned blocks = of.grid.x * of.grid.y * of.grid.z;
        for (unsigned first = 0; first < blocks; first += of.cluster) {
            make_blocks(of, first);
            run_cluster();
        }
    } catch (const launch_failure &) {
        return state.failure.c_str();
    }
    return nullptr;
}

} // namespace emulator
