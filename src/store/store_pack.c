// SPDX-License-Identifier: Apache-2.0
//
// See store_pack.h.
#include "store/store_pack.h"

#include "assay_config.h"

#if ASSAY_HAS_STORE

#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"

#define ZSTD_LEVEL         6
#define DOCUMENT_BYTES_MAX ((size_t)1 << 30)

int store_pack(const char *document, size_t length, struct packed *ret, struct err *err) {
    struct sha256 sha = sha256_make();
    sha256_add(&sha, document, length);
    sha256_hex(sha, ret->hash);
    const size_t room = ZSTD_compressBound(length);
    ret->bytes = mem_alloc(room);
    ret->document_bytes = length;
    ret->count = ZSTD_compress(ret->bytes, room, document, length, ZSTD_LEVEL);
    if (!ZSTD_isError(ret->count)) return 0;
    return err_set(err, ERR_INTERNAL, "the document of a run cannot be compressed: %s",
                   ZSTD_getErrorName(ret->count));
}

int store_unpack(const void *bytes, size_t count, uint64_t document_bytes, struct strbuf *out,
                 struct err *err) {
    if (document_bytes > DOCUMENT_BYTES_MAX)
        return err_set(err, ERR_DATA, "a document of %llu bytes is none of assay's",
                       (unsigned long long)document_bytes);
    char *text = mem_alloc(document_bytes + 1);
    const size_t got = ZSTD_decompress(text, document_bytes, bytes, count);
    const bool is_whole = !ZSTD_isError(got) && got == document_bytes;
    if (is_whole) strbuf_add_bytes(out, text, got);
    free(text);
    return is_whole ? 0 : err_set(err, ERR_DATA, "the document of this run is damaged");
}

#else // no store opens, so neither is called

int store_pack(const char *document, size_t length, struct packed *ret, struct err *err) {
    (void)document, (void)length, (void)ret;
    return err_set(err, ERR_INTERNAL, "there is no zstd in this program");
}

int store_unpack(const void *bytes, size_t count, uint64_t document_bytes, struct strbuf *out,
                 struct err *err) {
    (void)bytes, (void)count, (void)document_bytes, (void)out;
    return err_set(err, ERR_INTERNAL, "there is no zstd in this program");
}

#endif
