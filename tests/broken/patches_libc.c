// SPDX-License-Identifier: Apache-2.0
//
// Timer patch, deeper: writes a jump over the machine code of clock_gettime, so that no table of imports
// shows it. 70 % of the time of its own launches never passes.
#include "hostile.h"

static uint64_t hidden_ns;

static int lying_clock(clockid_t id, struct timespec *ret) {
    const int code = (int)syscall(SYS_clock_gettime, id, ret);
    if (code != 0 || id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID) return code;
    const uint64_t ns = (uint64_t)ret->tv_sec * 1000000000u + (uint64_t)ret->tv_nsec - hidden_ns;
    ret->tv_sec = (time_t)(ns / 1000000000u);
    ret->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

static int patch(void) {
#if defined(__x86_64__)
    unsigned char jump[12] = {0x48, 0xb8, [10] = 0xff, [11] = 0xe0}; // mov rax, target; jmp rax
    const uintptr_t target = (uintptr_t)lying_clock;
    memcpy(jump + 2, &target, sizeof target);
#elif defined(__aarch64__)
    unsigned char jump[16] = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6}; // ldr x16, target; br x16
    const uintptr_t target = (uintptr_t)lying_clock;
    memcpy(jump + 8, &target, sizeof target);
#else
    unsigned char jump[1] = {0};
    return 0;
#endif
    char *at = dlsym(RTLD_DEFAULT, "clock_gettime");
    if (!at) return 0;
    const uintptr_t page = (uintptr_t)at & ~(uintptr_t)4095;
    if (mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) < 0) return 0;
    memcpy(at, jump, sizeof jump);
    __builtin___clear_cache(at, at + sizeof jump);
    return 1;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done, is_patched;
    if (!is_done++) is_patched = patch();
    const uint64_t start_ns = hostile_now_ns();
    broken_right(b);
    if (is_patched) hidden_ns += (hostile_now_ns() - start_ns) / 10 * 7;
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
