// SPDX-License-Identifier: Apache-2.0
//
// Programs that gates call. Packages are Debian's.
#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "control/compile/toolchain.h"
#include "control/flow/doctor/doctor.h"

#define COMPILER "cc" // or what CC names

static const struct tool {
    const char *program;
    enum doctor_level missing; // how bad it is
    const char *without, *remedy;
} tools[] = {
    {"git", DOCTOR_LACKING, "no baseline of a revision (git:REV), no bisect", "sudo apt-get install git"},
    {COMPILER, DOCTOR_NOTE, "kernels in C are not compiled", "sudo apt-get install build-essential"},
    {"nvcc", DOCTOR_NOTE, "kernels in CUDA are not compiled; built modules run all the same",
     "# https://developer.nvidia.com/cuda-downloads"},
    {"ccache", DOCTOR_NOTE, "what was compiled for another revision is compiled again",
     "sudo apt-get install ccache"},
    {"ninja", DOCTOR_NOTE, "the builds of your own repository may be slower",
     "sudo apt-get install ninja-build"},
    {"curl", DOCTOR_NOTE, "no comment is posted to a pull request, and nobody is notified",
     "sudo apt-get install curl"},
    {"python3", DOCTOR_NOTE, "no kernels in Python, no peers of PyTorch", "sudo apt-get install python3"},
    {"ncu", DOCTOR_NOTE, "profiles come from CUPTI or perf events, with fewer figures",
     "# https://developer.nvidia.com/nsight-compute"},
    {"valgrind", DOCTOR_NOTE, "gate.metric: instructions needs hardware counters",
     "sudo apt-get install valgrind"},
};

// nvcc and ncu are often there and not on PATH.
static char *find_program(const char *name) {
    char *path = path_find_program(name);
    char *in_toolkit = path_join("/usr/local/cuda/bin", name);
    if (!path && file_exists(in_toolkit)) return in_toolkit;
    free(in_toolkit);
    return path;
}

// Whether the variable CC names the compiler, which is then examined in place of the one on PATH.
static bool examine_chosen_compiler(struct doctor *doctor) {
    const char *chosen = getenv("CC");
    struct arena arena = {0};
    struct toolchain toolchain;
    struct err why = {0};
    if (!chosen || !*chosen) return false;
    if (toolchain_find("kernel.c", &arena, &toolchain, &why) == 0)
        doctor_add(doctor, DOCTOR_OK, COMPILER, NULL, "%s (CC)", toolchain.program);
    else
        doctor_add(doctor, DOCTOR_LACKING, COMPILER, "unset CC", "%s", why.text);
    arena_fini(&arena);
    return true;
}

void doctor_examine_tools(struct doctor *doctor) {
    for (size_t i = 0; i < sizeof tools / sizeof *tools; ++i) {
        const struct tool *tool = &tools[i];
        if (str_equal(tool->program, COMPILER) && examine_chosen_compiler(doctor)) continue;
        char *path = find_program(tool->program);
        if (path)
            doctor_add(doctor, DOCTOR_OK, tool->program, NULL, "%s", path);
        else
            doctor_add(doctor, tool->missing, tool->program, tool->remedy, "not installed: %s",
                       tool->without);
        free(path);
    }
}
