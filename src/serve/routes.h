// SPDX-License-Identifier: Apache-2.0
//
// What the server has, as one table: method, path, and who answers. There is nothing else.
#ifndef SERVE_ROUTES_H
#define SERVE_ROUTES_H

#include <stdbool.h>

#include "serve/lanes.h"
#include "serve/serve_call.h"

struct route {
    const char *method, *path; // "*" in a path is any one segment
    int (*answer)(struct serve_call *call, struct err *err);
    enum lane lane;
    bool needs_store, takes_body, needs_token;
};

// The route, and call->item. NULL: there is none, and the status and sentence say why (404, 405).
const struct route *route_find(struct serve_call *call, const char *method, struct err *err);
// Where its answer is made.
enum lane route_lane(const struct route *route, const struct request_target *target);
// The answer, or what is wrong as JSON with its status; *err keeps the sentence.
void route_answer(const struct route *route, struct serve_call *call, struct err *err);
// The same for a request without a route: err says why.
void route_refuse(struct serve_call *call, int code, const struct err *err);

#endif
