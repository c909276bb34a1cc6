// SPDX-License-Identifier: Apache-2.0
//
// What the compiler says of a module, as numbers of which less is better: names, texts and values by one
// table. Ratchets (record/ratchet.h) hold them, and explanations compare them.
#ifndef RECORD_COMPILER_FIGURE_H
#define RECORD_COMPILER_FIGURE_H

struct build_report; // record/result.h

enum compiler_figure {
    COMPILER_REGISTERS = 0,
    COMPILER_SPILLS,
    COMPILER_SHARED_BYTES,
    COMPILER_BINARY_BYTES,
    COMPILER_COMPILE_S,
    COMPILER_FIGURE_COUNT
};

const char *compiler_figure_key(enum compiler_figure figure);  // "registers": as in gate.ratchet
const char *compiler_figure_text(enum compiler_figure figure); // "registers a thread"
const char *compiler_figure_unit(enum compiler_figure figure); // "", "bytes", "s"

// NAN: not known. The time of a compilation that ccache answered is not known.
double compiler_figure_of(const struct build_report *build, enum compiler_figure figure);

#endif
