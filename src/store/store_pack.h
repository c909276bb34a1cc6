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

// The same for a document that comes by pieces: it is never there as a whole.
struct packer;
struct packer *packer_new(void);
void packer_free(struct packer *packer); // accepts NULL
int packer_add(struct packer *packer, const char *bytes, size_t count, struct err *err);
int packer_end(struct packer *packer, struct packed *ret, struct err *err);

#endif
