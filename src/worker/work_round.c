// SPDX-License-Identifier: Apache-2.0
//
// Rounds: being written.
#include "worker/work_state.h"

int work_round(struct work *work, struct err *err) {
    (void)work;
    return err_set(err, ERR_UNAVAILABLE, "this build cannot measure rounds");
}
