// SPDX-License-Identifier: Apache-2.0
//
// See stored_document.h.
#include "serve/stored_document.h"

#include "base/sha256.h"
#include "verdict/summary.h"

static int read_text(const struct strbuf *text, const char *run_id, struct result *ret, struct err *err) {
    TRY(result_read_text(strbuf_text(text), text->length, run_id, ret, err));
    if (summary_set_all(ret) == 0) return 0;
    result_fini(ret);
    return err_set(err, ERR_INTERNAL, "no memory for the summaries");
}

int stored_document_read(struct serve_call *call, const char *run_id, struct result *ret, char *ret_hash,
                         struct err *err) {
    struct strbuf text = {0};
    int code = store_document(call->store, run_id, &text, err);
    if (code == 0) {
        pthread_mutex_lock(&call->serve->parse_lock);
        code = read_text(&text, run_id, ret, err);
        pthread_mutex_unlock(&call->serve->parse_lock);
    }
    if (code == 0 && ret_hash) {
        struct sha256 sha = sha256_make();
        sha256_add(&sha, text.text, text.length);
        sha256_hex(sha, ret_hash);
    }
    strbuf_fini(&text);
    return code;
}
