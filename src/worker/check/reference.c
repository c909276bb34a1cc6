// SPDX-License-Identifier: Apache-2.0
//
// References of either kind: opening by the checker of the buffers, reading an element, closing.
#include "worker/check/reference.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/signed_figure.h"

int reference_open(struct reference *ret, const struct case_buffers *buffers, const char *dir,
                   struct err *err) {
    return buffers->checker->open_reference(ret, buffers, dir, err);
}

int reference_read(const struct reference *reference, uint32_t k, uint64_t index, double *ret,
                   struct err *err) {
    if (reference->on_host) return reference_read(reference->on_host, k, index, ret, err);
    const double *at = reference->outputs[k] + index;
    if (reference->device)
        TRY(reference->device->backend->work->copy_out(reference->device, ret, at, sizeof *ret, err));
    else
        *ret = *at;
    *ret = unsigned_nan(*ret);
    return 0;
}

void reference_close(struct reference *reference) {
    if (reference->map) munmap(reference->map, reference->map_bytes);
    if (reference->device)
        reference->device->backend->work->scratch_free(reference->device, reference->scratch);
    if (reference->on_host) reference_close(reference->on_host);
    free(reference->on_host);
    free(reference->owned);
    memset(reference, 0, sizeof *reference);
}
