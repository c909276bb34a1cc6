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

static constexpr size_t STACK_BYTES = 128 * 1024;

// ---- state of a launch ----

struct named_barrier {
    int arrived;
    uint32_t generation;
    bool any[2]; // in this generation, and in the next one
};

// A fiber starts through its context; later switches are jumps, which make no system calls.
struct fiber {
    thread self;
    ucontext_t context;
    jmp_buf place;
    bool has_begun, is_over;
    const std::function<bool()> *waits_for; // NULL: runnable
    const char *why;
};

struct work {
    thread *by;
    work_kind kind;
    uint32_t group;
    std::function<void()> run;
};

enum pace { PACE_EARLY, PACE_LATE, PACE_DRAWN, PACE_COUNT };

static struct {
    std::vector<fiber> fibers;
    std::vector<warp> warps;
    std::vector<block> blocks;
    std::vector<std::vector<named_barrier>> named;
    std::vector<work> pending;
    unsigned char *shared;               // of all thread blocks of a cluster
    uint32_t shared_first, shared_bytes; // of the launch's dynamic shared memory
    int cluster_arrived;
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

void wait_until(const std::function<bool()> &holds, const char *why) {
    fiber *self = current();
    if (holds() && !draw(8)) return;
    self->waits_for = &holds;
    self->why = why;
    if (!_setjmp(self->place)) _longjmp(state.scheduler, 1);
}

static const char *meeting_names[] = {"__syncwarp", "a shuffle", "a vote", "a product", "a matrix"};

const uint64_t *meet(meeting what, uint64_t brought,
                     const std::function<void(const uint64_t *brought)> &then) {
    warp &in = *now->in;
    if (in.arrived > 0 && in.what != what)
        fail("lanes of a warp are at different places: one at %s, others at %s", meeting_names[what],
             meeting_names[in.what]);
    const uint32_t generation = in.generation;
    uint64_t *all = in.brought[generation % 2];
    in.what = what;
    all[now->lane] = brought;
    if (++in.arrived < WARP) {
        wait_until([&in, generation] { return in.generation != generation; }, meeting_names[what]);
        return all;
    }
    if (then) then(all);
    in.arrived = 0;
    ++in.generation;
    return all;
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
    wait_until([&at, generation] { return at.generation != generation; }, "a barrier of the thread block");
}

void cluster_arrive() {
    ++state.cluster_arrived;
}
void cluster_wait() {
    wait_until([] { return state.cluster_arrived == (int)state.fibers.size(); }, "the cluster's barrier");
}

// ---- asynchronous work ----

static void do_pending(size_t i) {
    const work item = std::move(state.pending[i]);
    state.pending.erase(state.pending.begin() + (ptrdiff_t)i);
    item.run();
}

void later(work_kind kind, std::function<void()> run) {
    state.pending.push_back({now, kind, now->work_groups[kind], std::move(run)});
    if (is_done_early(2)) do_pending(state.pending.size() - 1);
}

void work_commit(work_kind kind) {
    ++now->work_groups[kind];
}

void work_wait(work_kind kind, uint32_t pending) {
    const auto is_due = [=](const work &of) {
        return of.by == now && of.kind == kind && of.group + pending < now->work_groups[kind];
    };
    const auto due = std::stable_partition(state.pending.begin(), state.pending.end(),
                                           [=](const work &of) { return !is_due(of); });
    for (auto i = due; i != state.pending.end(); ++i) i->run();
    state.pending.erase(due, state.pending.end());
}

// ---- shared memory ----

unsigned char *at(uint32_t address) {
    const uint32_t rank = address / RANK_BYTES, offset = address % RANK_BYTES;
    if (rank >= state.blocks.size() || offset < state.shared_first ||
        offset >= state.shared_first + state.shared_bytes)
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

// ---- launching ----

static void run_thread() {
    (*state.call)();
    for (const work &of : state.pending)
        if (of.by == now && of.kind != WORK_FREE)
            fail("a thread ends while copies of its own are under way in its thread block's shared memory");
    current()->is_over = true;
    _longjmp(state.scheduler, 1);
}

static void make_blocks(const configuration &of, unsigned first) {
    memset(state.shared, 0xff, (size_t)SHARED_BYTES * of.cluster); // NaN in every type
    for (unsigned rank = 0; rank < of.cluster; ++rank)
        state.blocks[rank] = {dim3(first + rank), (int)rank, (int)of.threads,
                              state.shared + rank * SHARED_BYTES};
    for (std::vector<named_barrier> &barriers : state.named) barriers.assign(NAMED_BARRIERS, {});
    state.warps.clear();
    state.warps.resize(of.cluster * of.threads / WARP);
    for (unsigned i = 0; i < of.cluster * of.threads; ++i) {
        const unsigned x = i % of.threads;
        fiber &made = state.fibers[i];
        void *const stack = made.context.uc_stack.ss_sp;
        made = {};
        made.self = {
            dim3(x), &state.blocks[i / of.threads], &state.warps[i / WARP], (int)(x % WARP), 0, 0, {}, {}};
        getcontext(&made.context);
        made.context.uc_stack.ss_sp = stack;
        made.context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&made.context, run_thread, 0);
    }
    state.cluster_arrived = 0;
    state.pending.clear();
}

static void resume(fiber &which) {
    which.waits_for = nullptr;
    now = &which.self;
    threadIdx = now->index;
    blockIdx = now->of->index;
    if (!_setjmp(state.scheduler)) {
        if (which.has_begun) _longjmp(which.place, 1);
        which.has_begun = true;
        setcontext(&which.context);
    }
    now = nullptr;
    if (state.has_failed) throw launch_failure();
}

// True if a thread has run. order: of warps.
static bool resume_some(const std::vector<size_t> &order) {
    bool ret = false;
    for (size_t i = 0; i < order.size() * WARP && (state.is_fair || !ret || i % WARP); ++i) {
        fiber &which = state.fibers[order[i / WARP] * WARP + i % WARP];
        if (which.is_over || (which.waits_for && !(*which.waits_for)())) continue;
        resume(which);
        ret = true;
    }
    return ret;
}

[[noreturn]] static void fail_deadlock() {
    std::map<std::string, int> waiting;
    for (const fiber &of : state.fibers)
        if (!of.is_over) ++waiting[of.why];
    std::string all;
    for (const auto &of : waiting) all += " " + std::to_string(of.second) + " at " + of.first + ";";
    fail("all threads wait:%s nothing is on its way", all.c_str());
}

static bool is_done() {
    return std::all_of(state.fibers.begin(), state.fibers.end(), [](const fiber &of) { return of.is_over; });
}

static void run_cluster() {
    std::vector<size_t> order(state.warps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), state.random);
    const size_t block_warps = (size_t)state.blocks[0].thread_count / WARP;
    if (!state.is_fair)
        std::stable_sort(order.begin(), order.end(),
                         [=](size_t x, size_t y) { return x / block_warps < y / block_warps; });
    while (!is_done()) {
        if (state.is_fair) std::shuffle(order.begin(), order.end(), state.random);
        const bool goes_on = resume_some(order);
        if (!state.pending.empty() && (!goes_on || (state.speed == PACE_DRAWN && draw(4))))
            do_pending(state.random() % state.pending.size());
        else if (!goes_on)
            fail_deadlock();
    }
    while (!state.pending.empty()) do_pending(0);
}

static void allocate(const configuration &of) {
    const size_t threads = (size_t)of.cluster * of.threads, old = state.fibers.size();
    state.blocks.resize(of.cluster);
    state.named.resize(of.cluster);
    for (size_t i = threads; i < old; ++i) munmap(state.fibers[i].context.uc_stack.ss_sp, STACK_BYTES);
    state.fibers.resize(threads);
    for (size_t i = old; i < threads; ++i)
        state.fibers[i].context.uc_stack.ss_sp = mmap(nullptr, STACK_BYTES, PROT_READ | PROT_WRITE,
                                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    static std::vector<unsigned char> memory;
    memory.resize((size_t)SHARED_BYTES * of.cluster + 1024);
    state.shared = memory.data() + (1024 - reinterpret_cast<uintptr_t>(memory.data()) % 1024) % 1024;
    state.shared_bytes = (uint32_t)of.shared_bytes;
}

const char *launch(const configuration &of, const std::function<void()> &call) {
    state.random.seed(++state.launches);
    state.speed =
        (pace)(state.launches % PACE_COUNT); // period 3, and is_fair 2: all combinations in six launches
    state.is_fair = state.launches % 2;
    state.call = &call;
    state.has_failed = false;
    gridDim = dim3(of.blocks);
    allocate(of);
    try {
        for (unsigned first = 0; first < of.blocks; first += of.cluster) {
            make_blocks(of, first);
            run_cluster();
        }
    } catch (const launch_failure &) {
        return state.failure.c_str();
    }
    return nullptr;
}

} // namespace emulator
