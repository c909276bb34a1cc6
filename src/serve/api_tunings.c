// SPDX-License-Identifier: Apache-2.0
//
// Tunings: the list, one, its document and its log.
#include "report/tune/tune_report.h"
#include "serve/api_handlers.h"
#include "store/store_tuning.h"

int api_tunings(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_tuning *tunings = NULL;
    size_t count = 0;
    TRY(call_filter_read(call, &filter, err));
    filter.store.run_id = request_parameter(&call->target, "run");
    TRY(store_list_tunings(call->store, &filter.store, &call->arena, &tunings, &count, err));
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "tunings");
    for (size_t i = filter.offset; i < count && i - filter.offset < filter.limit; ++i) {
        json_object_begin(&w, NULL);
        stored_tuning_write(&tunings[i], &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_write_u64(&w, "total", count);
    call_json_end(call, &w);
    return 0;
}

// The tuning that the address names. document: NULL: only its row.
static int find(struct serve_call *call, struct stored_tuning *ret, struct strbuf *document,
                struct err *err) {
    int64_t id = 0;
    TRY(call_item_id(call, "a tuning", &id, err));
    return store_get_tuning(call->store, id, &call->arena, ret, document, err);
}

int api_tuning(struct serve_call *call, struct err *err) {
    struct stored_tuning tuning;
    TRY(find(call, &tuning, NULL, err));
    struct json_writer w = call_json_begin(call);
    stored_tuning_write(&tuning, &w);
    call_json_end(call, &w);
    return 0;
}

int api_tuning_document(struct serve_call *call, struct err *err) {
    struct stored_tuning tuning;
    call_json_type(call);
    return find(call, &tuning, &call->out, err);
}

int api_tuning_log(struct serve_call *call, struct err *err) {
    struct stored_tuning tuning;
    struct tune_record record;
    struct strbuf text = {0};
    call->type = "text/plain; charset=utf-8"; // a browser shows it, and offers Markdown for saving only
    call->policy = DATA_POLICY;
    int code = find(call, &tuning, &text, err);
    if (code == 0) code = tune_record_read(&text, "the tuning", &call->arena, &record, err);
    strbuf_fini(&text);
    if (code == 0) tune_report_log(&record, &call->out);
    return code;
}
