// SPDX-License-Identifier: Apache-2.0
//
// See compiler_figure.h.
#include "record/compiler_figure.h"

#include <math.h>
#include <string.h>

#include "record/result.h"

static const struct {
    const char *key, *text, *unit;
    size_t offset; // of the int64_t in struct build_report; none for the time
} figures[COMPILER_FIGURE_COUNT] = {
    [COMPILER_REGISTERS] = {"registers", "registers a thread", "", offsetof(struct build_report, registers)},
    [COMPILER_SPILLS] = {"spills", "spills", "bytes", offsetof(struct build_report, spill_bytes)},
    [COMPILER_SHARED_BYTES] = {"shared_bytes", "shared memory", "bytes",
                               offsetof(struct build_report, shared_bytes)},
    [COMPILER_BINARY_BYTES] = {"binary_bytes", "module in memory", "bytes",
                               offsetof(struct build_report, binary_bytes)},
    [COMPILER_COMPILE_S] = {"compile_s", "compilation", "s", 0},
};

const char *compiler_figure_key(enum compiler_figure figure) {
    return figures[figure].key;
}

const char *compiler_figure_text(enum compiler_figure figure) {
    return figures[figure].text;
}

const char *compiler_figure_unit(enum compiler_figure figure) {
    return figures[figure].unit;
}

double compiler_figure_of(const struct build_report *build, enum compiler_figure figure) {
    int64_t count = -1;
    if (figure == COMPILER_COMPILE_S)
        return build->build_s > 0 && !build->is_from_ccache ? build->build_s : NAN;
    memcpy(&count, (const char *)build + figures[figure].offset, sizeof count);
    return count >= 0 ? (double)count : NAN;
}
