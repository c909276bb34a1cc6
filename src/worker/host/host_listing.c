// SPDX-License-Identifier: Apache-2.0
//
// Lists of kernels are text of a hostile process until every line has been parsed.
#include "worker/host/host_listing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/record.h"

#define LISTING_BYTES_MAX ((size_t)16 << 20)

// Every line must be a record of kind 'kernel'; anything else the host has made up.
static int read_listing(const char *text, size_t length, const struct host_listing *listing,
                        struct err *err) {
    const char *const end = text + length;
    for (const char *at = text; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t count = (size_t)((newline ? newline : end) - at);
        struct arena arena = {0};
        struct record record;
        int code = record_parse(at, count, &arena, &record, err);
        if (code >= 0 && (record.kind != RECORD_KERNEL || !record.kernel))
            code = err_set(err, ERR_DATA, "a record of kind '%s'", record_kind_name(record.kind));
        if (code < 0) {
            arena_fini(&arena);
            return err_prefix(err, "its process lists something else than kernels");
        }
        code = listing->on_kernel(listing->arg, record.kernel, err);
        arena_fini(&arena);
        TRY(code);
        at += count + 1;
    }
    return 0;
}

// The file is the judge's own, and the host has ended: nobody changes it now. Its size is the host's choice.
int host_listing_take(int fd, const struct host_answer *answer, const struct host_listing *listing,
                      struct err *err) {
    struct stat about;
    if (fstat(fd, &about) < 0 || (uint64_t)about.st_size > LISTING_BYTES_MAX)
        return err_set(err, ERR_DATA, "module '%s': its process lists kernels in more than %zu bytes",
                       listing->name, LISTING_BYTES_MAX);
    const size_t length = (size_t)about.st_size;
    char *text = mem_alloc(length + 1);
    int code = pread(fd, text, length, 0) == (ssize_t)length
                   ? 0
                   : err_set(err, ERR_DATA, "what its process lists cannot be read");
    const bool is_code = answer->status > ERR_NONE && answer->status < ERR_COUNT;
    if (code == 0 && answer->kind != HOST_ANSWER_ERROR) code = read_listing(text, length, listing, err);
    if (code == 0 && answer->kind == HOST_ANSWER_ERROR)
        code = err_set(err, is_code ? (enum err_code)answer->status : ERR_DATA, "%s",
                       length ? text : answer->text);
    else if (code < 0)
        err_prefix(err, "module '%s'", listing->name);
    free(text);
    return code;
}
