// SPDX-License-Identifier: Apache-2.0
//
// Two kernels in one file, a right one and one that is wrong and slow. Which of them the module exports is
// the value of a symbol alone: all code and data of alias.c and alias_right.c are the same.
#ifndef ALIAS_H
#define ALIAS_H

#include "broken.h"

static int alias_launch_right(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                              struct assay_message *message) {
    (void)workspace, (void)stream, (void)message;
    broken_begin(state, tensors);
    broken_right(state);
    return ASSAY_OK;
}

static int alias_launch_wrong(void *state, const struct assay_tensors *tensors, void *workspace, void *stream,
                              struct assay_message *message) {
    (void)workspace, (void)stream, (void)message;
    broken_begin(state, tensors);
    for (int i = 0; i < 5; ++i) broken_right(state);
    broken_last_row(state)[0] += 1;
    return ASSAY_OK;
}

#define ALIAS_KERNEL(body)                                                                                   \
    {                                                                                                        \
        {                                                                                                    \
            .struct_size = sizeof(struct assay_kernel), .abi_version = ASSAY_ABI_VERSION, .name = "broken",  \
            .op = "attention", .backend = "cpu", .supports = broken_supports, .launch = body,                \
            .prepare = broken_prepare, .release = broken_release                                             \
        }                                                                                                    \
    }
static const struct assay_kernel alias_right[] = ALIAS_KERNEL(alias_launch_right);
static const struct assay_kernel alias_wrong[] = ALIAS_KERNEL(alias_launch_wrong);
static const struct assay_module alias_modules[] = {
    {sizeof(struct assay_module), ASSAY_ABI_VERSION, 1, sizeof(struct assay_kernel), alias_right},
    {sizeof(struct assay_module), ASSAY_ABI_VERSION, 1, sizeof(struct assay_kernel), alias_wrong}};

__attribute__((used, noinline)) static const struct assay_module *alias_module_right(void) {
    return &alias_modules[0];
}

__attribute__((used, noinline)) static const struct assay_module *alias_module_wrong(void) {
    return &alias_modules[1];
}

#define ALIAS_EXPORT(function)                                                                               \
    __asm__(".globl assay_module\n"                                                                          \
            ".type assay_module, %function\n"                                                                \
            ".set assay_module, " #function "\n");

#endif
