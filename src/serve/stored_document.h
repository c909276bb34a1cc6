// SPDX-License-Identifier: Apache-2.0
//
// The result of a run of the store, opened from its document. One at a time, since the values of a document
// take many times its size.
#ifndef SERVE_STORED_DOCUMENT_H
#define SERVE_STORED_DOCUMENT_H

#include "serve/serve_call.h"

// With its summaries; result_fini it. ERR_NO_INPUT: no such run. Its hash (SHA256_HEX_BYTES) if wanted.
int stored_document_read(struct serve_call *call, const char *run_id, struct result *ret, char *ret_hash,
                         struct err *err);

#endif
