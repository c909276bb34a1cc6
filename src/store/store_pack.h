// SPDX-License-Identifier: Apache-2.0
//
// The document of a run as it is stored: compressed by zstd, and named by its content.
#ifndef STORE_STORE_PACK_H
#define STORE_STORE_PACK_H

#include "base/sha256.h"
#include "base/strbuf.h"

struct packed {
    char hash[SHA256_HEX_BYTES]; // of the document
    void *bytes;                 // owned: free() it
    size_t count, document_bytes;
};

int store_pack(const char *document, size_t length, struct packed *ret, struct err *err);
// Appends the document. ERR_DATA: the bytes are damaged.
int store_unpack(const void *bytes, size_t count, uint64_t document_bytes, struct strbuf *out,
                 struct err *err);

#endif
