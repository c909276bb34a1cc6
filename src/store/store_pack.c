// SPDX-License-Identifier: Apache-2.0
//
// See store_pack.h.
#include "store/store_pack.h"

#include "assay_config.h"

#if ASSAY_HAS_STORE

#include <stdlib.h>
#include <zstd.h>

#include "base/mem.h"

#define ZSTD_LEVEL         3
#define DOCUMENT_BYTES_MAX ((size_t)1 << 30)

struct packer {
    ZSTD_CCtx *zstd;
    struct sha256 sha;
    struct strbuf out;
    size_t document_bytes;
};

struct packer *packer_new(void) {
    struct packer *packer = mem_alloc(sizeof *packer);
    packer->zstd = ZSTD_createCCtx(); // NULL, without memory: packer_add says so
    packer->sha = sha256_make();
    if (packer->zstd) ZSTD_CCtx_setParameter(packer->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    return packer;
}

void packer_free(struct packer *packer) {
    if (!packer) return;
    ZSTD_freeCCtx(packer->zstd);
    strbuf_fini(&packer->out);
    free(packer);
}

static int pack(struct packer *packer, ZSTD_inBuffer *in, ZSTD_EndDirective how, struct err *err) {
    if (!packer->zstd) return err_set(err, ERR_INTERNAL, "no memory to compress the document of a run");
    for (;;) {
        const size_t room = ZSTD_CStreamOutSize();
        ZSTD_outBuffer out = {.dst = strbuf_add_room(&packer->out, room), .size = room};
        const size_t left = ZSTD_compressStream2(packer->zstd, &out, in, how);
        packer->out.length -= room - out.pos;
        if (ZSTD_isError(left))
            return err_set(err, ERR_INTERNAL, "the document of a run cannot be compressed: %s",
                           ZSTD_getErrorName(left));
        if (how == ZSTD_e_end ? left == 0 : in->pos == in->size) return 0;
    }
}

static int add(struct packer *packer, const char *bytes, size_t count, ZSTD_EndDirective how,
               struct err *err) {
    ZSTD_inBuffer in = {.src = bytes, .size = count};
    sha256_add(&packer->sha, bytes, count);
    packer->document_bytes += count;
    return pack(packer, &in, how, err);
}

int packer_add(struct packer *packer, const char *bytes, size_t count, struct err *err) {
    return add(packer, bytes, count, ZSTD_e_continue, err);
}

// With the last bytes.
static int finish(struct packer *packer, const char *bytes, size_t count, struct packed *ret,
                  struct err *err) {
    TRY(add(packer, bytes, count, ZSTD_e_end, err));
    sha256_hex(packer->sha, ret->hash);
    ret->document_bytes = packer->document_bytes;
    ret->count = packer->out.length;
    ret->bytes = strbuf_take(&packer->out);
    return 0;
}

int packer_end(struct packer *packer, struct packed *ret, struct err *err) {
    return finish(packer, NULL, 0, ret, err);
}

int store_pack(const char *document, size_t length, struct packed *ret, struct err *err) {
    struct packer *packer = packer_new();
    const int code = finish(packer, document, length, ret, err);
    packer_free(packer);
    return code;
}

int store_unpack(const void *bytes, size_t count, uint64_t document_bytes, struct strbuf *out,
                 struct err *err) {
    if (document_bytes > DOCUMENT_BYTES_MAX)
        return err_set(err, ERR_DATA, "a document of %llu bytes is none of assay's",
                       (unsigned long long)document_bytes);
    char *text = strbuf_add_room(out, document_bytes);
    const size_t got = ZSTD_decompress(text, document_bytes, bytes, count);
    if (!ZSTD_isError(got) && got == document_bytes) return 0;
    out->length -= document_bytes;
    *text = 0;
    return err_set(err, ERR_DATA, "the document of this run is damaged");
}

#else // no store opens, so none of these is called

struct packer *packer_new(void) {
    return NULL;
}

void packer_free(struct packer *packer) {
    (void)packer;
}

int packer_add(struct packer *packer, const char *bytes, size_t count, struct err *err) {
    (void)packer;
    return store_pack(bytes, count, NULL, err);
}

int packer_end(struct packer *packer, struct packed *ret, struct err *err) {
    (void)packer;
    return store_pack(NULL, 0, ret, err);
}

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
