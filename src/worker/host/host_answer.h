// SPDX-License-Identifier: Apache-2.0
//
// What the judge believes of an answer: nothing that does not fit. After host_answer_accept every figure is
// one that an honest host could have sent, so that the code behind it need not ask again.
#ifndef WORKER_HOST_HOST_ANSWER_H
#define WORKER_HOST_HOST_ANSWER_H

#include "worker/host/host_channel.h"

// Whether this is the answer to the request of that number: done, an error, or a fault (which has no number:
// it ends the host). Puts right what an honest host would never send, such as text without an end.
bool host_answer_accept(struct host_answer *answer, uint32_t number);

// The sentence of a fault, and whether it was the attempt to write an input.
bool host_answer_format_fault(const struct host_answer *answer, char *ret_text, size_t capacity);

#endif
