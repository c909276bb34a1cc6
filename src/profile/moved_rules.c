// SPDX-License-Identifier: Apache-2.0
//
// Thresholds and sentences of what_moved.c. A cause waits at barriers, too: warps wait there for the one that
// it delays. So every specific rule claims them, and the barrier itself comes after those rules.
#include "profile/moved_rules_internal.h"

#define AT(m)     (offsetof(struct profile, m) + 1)
#define CPU_AT(m) (offsetof(struct cpu_profile, m) + 1)
#define BIT(s)    (1u << STALL_##s)
#define WAITS     (BIT(BARRIER) | BIT(LONG_SCOREBOARD) | BIT(WAIT) | BIT(MEMBAR) | BIT(SLEEPING))
#define LOADS     (WAITS | BIT(LG_THROTTLE) | BIT(SHORT_SCOREBOARD) | BIT(MIO_THROTTLE) | BIT(DRAIN))
#define SHARED    (BIT(BARRIER) | BIT(SHORT_SCOREBOARD) | BIT(MIO_THROTTLE) | BIT(LONG_SCOREBOARD))

// A reason to wait by itself: three points of the latency more.
#define STALLED(s, slower_, faster_, look_)                                                                  \
    {                                                                                                        \
        .figure = AT(stalls_pct[STALL_##s]), .trend = MOVED_RISES, .threshold = 3, .stalls = BIT(s),         \
        .slower = (slower_), .faster = (faster_), .look_at = (look_)                                         \
    }

static const struct moved_rule gpu_rules[] = {
    {.figure = AT(local_pct),
     .trend = MOVED_RISES,
     .threshold = 0.1,
     .stalls = LOADS,
     .busy = {AT(l1_pct), AT(l2_pct)},
     .work = AT(instructions),
     .slower = "registers spill: more instructions access local memory",
     .faster = "fewer registers spill: fewer instructions access local memory",
     .look_at = "registers a thread, launch bounds, arrays that are indexed by variables"},
    {.figure = AT(bank_conflict_pct),
     .trend = MOVED_RISES,
     .threshold = 5,
     .stalls = SHARED,
     .busy = {AT(l1_pct)},
     .slower = "more bank conflicts in shared memory",
     .faster = "fewer bank conflicts in shared memory",
     .look_at = "the swizzle or the padding of rows in shared memory"},
    {.figure = AT(sectors_per_request),
     .trend = MOVED_GROWS,
     .threshold = 0.15,
     .stalls = LOADS,
     .busy = {AT(l1_pct), AT(l2_pct), AT(dram_pct)},
     .slower = "global accesses are less coalesced: more sectors a request",
     .faster = "global accesses are better coalesced: fewer sectors a request",
     .look_at = "which addresses neighbouring threads load and store"},
    {.figure = AT(bytes_per_sector_pct),
     .trend = MOVED_FALLS,
     .threshold = 0.1,
     .stalls = LOADS,
     .busy = {AT(l1_pct), AT(l2_pct), AT(dram_pct)},
     .slower = "global loads are less coalesced: less of each sector is used",
     .faster = "global loads are better coalesced: more of each sector is used",
     .look_at = "which addresses neighbouring threads load"},
    {.figure = AT(shared_bytes),
     .trend = MOVED_FALLS,
     .threshold = 0.1,
     .stalls = WAITS | BIT(GMMA),
     .slower = "less shared memory a block and longer waits for data: fewer stages, or smaller tiles",
     .faster = "more shared memory a block and shorter waits for data: more stages, or larger tiles",
     .look_at = "stages of the pipeline, and how early a tile is loaded"},
    {.figure = AT(occupancy_max_pct),
     .trend = MOVED_FALLS,
     .threshold = 0.05,
     .rate = AT(occupancy_max_pct),
     .slower = "fewer warps fit an SM",
     .faster = "more warps fit an SM",
     .look_at = "registers a thread, shared memory and threads of a block"},
    {.figure = AT(threads_per_instruction),
     .trend = MOVED_FALLS,
     .threshold = 0.05,
     .rate = AT(threads_per_instruction),
     .slower = "warps diverge: fewer threads take part in an instruction",
     .faster = "warps diverge less: more threads take part in an instruction",
     .look_at = "branches that threads of a warp take apart"},
    {.figure = AT(tensor_instructions),
     .trend = MOVED_GROWS,
     .threshold = 0.02,
     .busy = {AT(tensor_pct)},
     .work = AT(tensor_instructions),
     .slower = "more matrix instructions",
     .faster = "fewer matrix instructions",
     .look_at = "tile sizes, blocks that are masked as a whole, and the shape of the instruction"},
    {.figure = AT(sm_clock_hz),
     .trend = MOVED_FALLS,
     .threshold = 0.02,
     .rate = AT(sm_clock_hz),
     .slower = "the SMs ran at a lower clock while profiled",
     .faster = "the SMs ran at a higher clock while profiled",
     .look_at = "power and temperature: measure again with --lock-clocks base"},
    {.figure = AT(instructions),
     .trend = MOVED_GROWS,
     .threshold = 0.02,
     .work = AT(instructions),
     .slower = "more instructions",
     .faster = "fewer instructions",
     .look_at = "address arithmetic, unrolling, and work that is done twice"},
    {.figure = AT(dram_bytes),
     .trend = MOVED_GROWS,
     .threshold = 0.1,
     .busy = {AT(dram_pct)},
     .slower = "more bytes from and to DRAM",
     .faster = "fewer bytes from and to DRAM",
     .look_at = "the order of blocks, reuse in L2, the size of tiles"},
    {.figure = AT(l2_bytes),
     .trend = MOVED_GROWS,
     .threshold = 0.1,
     .busy = {AT(l2_pct)},
     .slower = "more bytes between L1 and L2",
     .faster = "fewer bytes between L1 and L2",
     .look_at = "the size of tiles, reuse in shared memory, coalescing"},
    // A barrier that nobody waits long at still costs: warps that leave it together want the same unit. So
    // half a point of the latency is enough here.
    {.figure = AT(stalls_pct[STALL_BARRIER]),
     .trend = MOVED_RISES,
     .threshold = 0.5,
     .stalls = BIT(BARRIER),
     .slower = "warps wait longer at barriers",
     .faster = "warps wait less at barriers",
     .look_at = "a barrier more in the inner loop, or unequal work between two of them"},
    STALLED(LONG_SCOREBOARD, "warps wait longer for global or local memory",
            "warps wait less for global or local memory", "how early loads are issued, and where they hit"),
    STALLED(SHORT_SCOREBOARD, "warps wait longer for shared memory", "warps wait less for shared memory",
            "how early fragments are loaded"),
    STALLED(MIO_THROTTLE, "the queue of shared memory instructions is full more often",
            "the queue of shared memory instructions is full less often",
            "wider accesses to shared memory (ldmatrix .x4, 16 bytes)"),
    STALLED(LG_THROTTLE, "the queue of global accesses is full more often",
            "the queue of global accesses is full less often", "fewer, wider global accesses"),
    STALLED(WAIT, "chains of dependent instructions are longer",
            "chains of dependent instructions are shorter", "independent work a warp"),
    STALLED(MATH_PIPE_THROTTLE, "warps compete more for an arithmetic pipe",
            "warps compete less for an arithmetic pipe", "which pipe the new instructions use"),
    STALLED(GMMA, "warps wait longer for matrix instructions", "warps wait less for matrix instructions",
            "what overlaps with them"),
    STALLED(NO_INSTRUCTION, "warps wait longer for instructions", "warps wait less for instructions",
            "the size of the code: unrolling, inlining"),
    STALLED(BRANCH_RESOLVING, "warps wait longer for branches", "warps wait less for branches",
            "branches in the inner loop"),
    STALLED(MEMBAR, "warps wait longer at memory fences", "warps wait less at memory fences",
            "fences, and their scope"),
    STALLED(SLEEPING, "warps sleep longer", "warps sleep less", "nanosleep, and what is waited for"),
};

static const struct moved_rule cpu_rules[] = {
    {.figure = CPU_AT(instructions),
     .trend = MOVED_GROWS,
     .threshold = 0.02,
     .work = CPU_AT(instructions),
     .slower = "more instructions",
     .faster = "fewer instructions",
     .look_at = "what the compiler vectorised and unrolled, and work that is done twice"},
    {.figure = CPU_AT(vector_bits),
     .trend = MOVED_FALLS,
     .threshold = 0.05,
     .rate = CPU_AT(vector_bits),
     .slower = "narrower vector instructions",
     .faster = "wider vector instructions",
     .look_at = "compiler flags, aliasing and alignment in the inner loop"},
    {.figure = CPU_AT(cache_misses_per_kilo_instr),
     .trend = MOVED_GROWS,
     .threshold = 0.2,
     .rate = CPU_AT(instructions_per_cycle),
     .slower = "more misses of the last cache",
     .faster = "fewer misses of the last cache",
     .look_at = "the size of blocks, and the order in which memory is read"},
    {.figure = CPU_AT(l1d_miss_pct),
     .trend = MOVED_GROWS,
     .threshold = 0.2,
     .rate = CPU_AT(instructions_per_cycle),
     .slower = "more misses of the first cache",
     .faster = "fewer misses of the first cache",
     .look_at = "strides, and the size of the innermost block"},
    {.figure = CPU_AT(branch_miss_pct),
     .trend = MOVED_GROWS,
     .threshold = 0.2,
     .rate = CPU_AT(instructions_per_cycle),
     .slower = "more mispredicted branches",
     .faster = "fewer mispredicted branches",
     .look_at = "branches that depend on data"},
    {.figure = CPU_AT(page_faults),
     .trend = MOVED_GROWS,
     .threshold = 0.2,
     .slower = "more page faults",
     .faster = "fewer page faults",
     .look_at = "memory that is allocated in every launch"},
    {.figure = CPU_AT(context_switches),
     .trend = MOVED_GROWS,
     .threshold = 0.2,
     .slower = "more context switches",
     .faster = "fewer context switches",
     .look_at = "locks, and threads that wait for each other"},
    {.figure = CPU_AT(instructions_per_cycle),
     .trend = MOVED_FALLS,
     .threshold = 0.02,
     .rate = CPU_AT(instructions_per_cycle),
     .slower = "fewer instructions a cycle",
     .faster = "more instructions a cycle",
     .look_at = "chains of dependent operations, and what is waited for"},
};

#define BUILD(m) .metric = "build." #m, .offset = offsetof(struct build_report, m)
static const struct moved_build_rule build_rules[] = {
    {BUILD(spill_bytes), .slower = "the compiler spills more registers",
     .faster = "the compiler spills fewer registers", .look_at = "registers a thread, launch bounds"},
    {BUILD(registers), .slower = "more registers a thread", .faster = "fewer registers a thread",
     .look_at = "how many warps fit, and whether they spill"},
    {BUILD(shared_bytes), .slower = "more declared shared memory", .faster = "less declared shared memory",
     .look_at = "how many blocks fit an SM"},
    {BUILD(matrix_instructions), .is_less_worse = true, .slower = "fewer matrix instructions in the code",
     .faster = "more matrix instructions in the code", .look_at = "what the products compile to"},
    {BUILD(stack_bytes_max), .slower = "a larger stack frame", .faster = "a smaller stack frame",
     .look_at = "arrays that are indexed by variables"},
    // Any edit moves some instructions: by itself that explains nothing.
    {BUILD(code_bytes), .least = 0.02, .slower = "more machine code", .faster = "less machine code",
     .look_at = "unrolling and inlining"},
};

const struct moved_rule *moved_rules_of_gpu(size_t *ret_count) {
    *ret_count = sizeof gpu_rules / sizeof *gpu_rules;
    return gpu_rules;
}

const struct moved_rule *moved_rules_of_cpu(size_t *ret_count) {
    *ret_count = sizeof cpu_rules / sizeof *cpu_rules;
    return cpu_rules;
}

const struct moved_build_rule *moved_rules_of_build(size_t *ret_count) {
    *ret_count = sizeof build_rules / sizeof *build_rules;
    return build_rules;
}
