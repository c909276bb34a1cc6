// SPDX-License-Identifier: Apache-2.0
//
// The chain. Register-to-register additions: additions of constants are folded by some newer cores.
#include "worker/backend/cpu/cpu_clock_probe.h"

#include <stdint.h>

#include "base/clock.h"

#define CHAIN_ADDS 256 // additions in one turn of the loop; the loop's own two instructions run beside them
#define CHAIN_RUNS 4

static uint64_t spin_adds(uint64_t turns) {
    uint64_t sum = 1, step = turns | 1;
#define ADD_1                                                                                                \
    do {                                                                                                     \
        sum += step;                                                                                         \
        __asm__ volatile("" : "+r"(sum));                                                                    \
    } while (0);
#define ADD_4   ADD_1 ADD_1 ADD_1 ADD_1
#define ADD_16  ADD_4 ADD_4 ADD_4 ADD_4
#define ADD_64  ADD_16 ADD_16 ADD_16 ADD_16
#define ADD_256 ADD_64 ADD_64 ADD_64 ADD_64
    for (uint64_t i = 0; i < turns; ++i) {
        __asm__ volatile("" : "+r"(step));
        ADD_256
    }
    return sum;
}

double cpu_clock_probe_read_hz(void) {
    const uint64_t turns = 160; // about 41 000 cycles, 10 to 20 us
    double best_hz = 0;
    for (int run = 0; run < CHAIN_RUNS; ++run) {
        uint64_t start_ns = clock_ns();
        uint64_t sum = spin_adds(turns);
        __asm__ volatile("" : "+r"(sum));
        uint64_t duration_ns = clock_ns() - start_ns;
        double hz = duration_ns ? (double)(turns * CHAIN_ADDS) * 1e9 / (double)duration_ns : 0;
        if (hz > best_hz) best_hz = hz;
    }
    return best_hz;
}
