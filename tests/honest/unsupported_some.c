// SPDX-License-Identifier: Apache-2.0
//
// Style: says of some problems that they are not for it (those with a mask), and of others in prepare
// (long rows).
#include "honest.h"

static int setup(struct honest *h, size_t *workspace_bytes) {
    (void)workspace_bytes;
    if (h->head_dim <= 128) return ASSAY_OK;
    return assay_say(h->message, ASSAY_UNSUPPORTED, "rows of up to 128 numbers only");
}

static int supports(const struct assay_problem *problem, struct assay_message *message) {
    if (assay_scalar_get(problem->scalars, problem->scalar_count, "causal", 0) != 0)
        return assay_say(message, ASSAY_UNSUPPORTED, "no mask");
    return honest_supports(problem, message);
}

HONEST_CALLBACKS(honest_launch_all, setup, honest_no_cleanup)

static const struct assay_kernel kernels[] = {{.struct_size = sizeof(struct assay_kernel),
                                               .abi_version = ASSAY_ABI_VERSION,
                                               .name = "honest",
                                               .op = "attention",
                                               .backend = "cpu",
                                               .supports = supports,
                                               .launch = honest_launch,
                                               .prepare = honest_prepare,
                                               .release = honest_release}};
ASSAY_MODULE(kernels)
