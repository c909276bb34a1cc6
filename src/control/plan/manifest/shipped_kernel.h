// SPDX-License-Identifier: Apache-2.0
//
// What comes with assay. Kernels: in any repository "assay:simd" is the kernel `simd` of the manifest that
// was installed with this program, else of the tree that it was built from. And the schema of a manifest.
#ifndef CONTROL_PLAN_MANIFEST_SHIPPED_KERNEL_H
#define CONTROL_PLAN_MANIFEST_SHIPPED_KERNEL_H

#include <stdbool.h>

#include "control/plan/manifest/manifest.h"
#include "control/plan/peer.h"

// Read when a name first asks for it.
struct shipped_kernels {
    struct manifest manifest;
    bool is_read;
};

// ERR_UNAVAILABLE: they are not installed.
int shipped_read(struct shipped_kernels *shipped, struct err *err);
// ERR_USAGE with the names that there are, and the nearest one.
int shipped_get_kernel(struct shipped_kernels *shipped, const char *name, const struct manifest_kernel **ret,
                       struct err *err);
// Where the schema of assay.yaml lies that belongs to this program. NULL: it was installed without its
// documents, or in a folder that the line of an editor cannot name. Caller frees.
char *shipped_schema_path(void);
// Where a kernel of a revision is meant: ERR_USAGE for such a name.
int shipped_refuse(const char *name, struct err *err);

#endif
