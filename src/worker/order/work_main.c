// SPDX-License-Identifier: Apache-2.0
//
// See work_main.h.
#include "worker/order/work_main.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "record/work_order.h"
#include "worker/order/work.h"

#define ORDER_BYTES_MAX ((size_t)64 << 20)

static int read_order(struct strbuf *out, struct err *err) {
    char chunk[65536];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return err_set_errno(err, ERR_IO, "the worker cannot read its order from standard input");
        if (got == 0) return 0;
        strbuf_add_bytes(out, chunk, (size_t)got);
        if (out->length > ORDER_BYTES_MAX)
            return err_set(err, ERR_DATA, "the work order is larger than 64 MiB");
    }
}

int work_main(void) {
    struct err err = {0};
    struct strbuf text = {0};
    struct arena arena = {0};
    struct work_order order;
    int code = 0;
    if (fcntl(WORK_RECORD_FD, F_GETFD) < 0)
        code = err_set(&err, ERR_USAGE, "a worker is started by assay itself: descriptor 3 is not open");
    if (code >= 0) code = read_order(&text, &err);
    if (code >= 0) code = work_order_parse(text.text ? text.text : "", text.length, &arena, &order, &err);
    if (code >= 0) code = work_run(&order, WORK_RECORD_FD, &err);
    if (code < 0) fprintf(stderr, "assay: error: %s\n", err.text);
    arena_fini(&arena);
    strbuf_fini(&text);
    return code < 0 ? err_exit_code(err.code) : 0;
}
