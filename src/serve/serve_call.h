// SPDX-License-Identifier: Apache-2.0
//
// One request and its answer, whatever carries them: http_server.c makes it from HTTP, routes.c finds who
// answers, the api_*.c do.
#ifndef SERVE_SERVE_CALL_H
#define SERVE_SERVE_CALL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/json_writer.h"
#include "serve/request_target.h"
#include "serve/store_pool.h"
#include "store/store.h"
#include "store/store_pack.h"

enum { HTTP_STATUS_MAX = 600, CALL_ROWS_DEFAULT = 100 };

// What all requests share.
struct kept_changes;
struct serve {
    struct store_pool *stores;
    struct kept_changes *changes;
    const char *runs_folder;                      // of runs that go on; NULL: none
    pthread_mutex_t parse_lock;                   // one large document is opened at a time
    atomic_ullong status_counts[HTTP_STATUS_MAX]; // answers by status
};

struct serve_call {
    struct serve *serve;
    struct request_target target;
    struct store *store;         // of this call
    struct arena arena;          // until the answer is sent
    const char *item;            // what '*' of the route stands for; NULL
    const struct packed *upload; // the body of one

    // the answer; a handler that fails may set the status, too
    unsigned status;             // 0: 200, or by the error's code
    const char *type, *policy;   // media type; content security policy
    const char *allowed_methods; // of a refused method; NULL
    bool is_last;                // of its connection
    const char *fixed;           // an embedded file; NULL: `out`
    size_t fixed_length;
    struct strbuf out;
};

#define DATA_POLICY "default-src 'none'; frame-ancestors 'none'" // of an answer that is no page
// Of a drawing with a style sheet of its own.
#define PICTURE_POLICY "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
void call_json_type(struct serve_call *call);
// An object of the answer, closed by call_json_end.
struct json_writer call_json_begin(struct serve_call *call);
void call_json_end(struct serve_call *call, struct json_writer *w);
// {"error": "sentence"} in place of what there is.
void call_set_error(struct serve_call *call, const struct err *err);

// The filters of docs/serve.md, of parameters. ERR_USAGE.
struct call_filter {
    struct store_filter store; // its limit is 0
    const char *text;          // substring of the problem; NULL: any
    const char *verdict;       // NULL: any
    size_t limit, offset;
};
int call_filter_read(struct serve_call *call, struct call_filter *ret, struct err *err);
// ERR_USAGE: the parameter is missing.
int call_need_parameter(const struct serve_call *call, const char *name, const char **ret, struct err *err);

// The number that '*' of the route stands for. ERR_NO_INPUT: it is none; what: "a profile".
int call_item_id(const struct serve_call *call, const char *what, int64_t *ret, struct err *err);

void call_write_run(struct json_writer *w, const char *key, const struct stored_run *run);

#endif
