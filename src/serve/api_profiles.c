// SPDX-License-Identifier: Apache-2.0
//
// Profiles: the list, one, its document and its roofline.
#include "report/profile/profile_document.h"
#include "serve/api_handlers.h"
#include "store/store_profile.h"

int api_profiles(struct serve_call *call, struct err *err) {
    struct call_filter filter;
    struct stored_profile *profiles = NULL;
    size_t count = 0;
    TRY(call_filter_read(call, &filter, err));
    filter.store.problem = request_parameter(&call->target, "problem");
    filter.store.run_id = request_parameter(&call->target, "run");
    filter.store.limit = (uint32_t)(filter.offset + filter.limit);
    TRY(store_list_profiles(call->store, &filter.store, &call->arena, &profiles, &count, err));
    struct json_writer w = call_json_begin(call);
    json_array_begin(&w, "profiles");
    for (size_t i = filter.offset; i < count; ++i) {
        json_object_begin(&w, NULL);
        stored_profile_write(&profiles[i], &w);
        json_object_end(&w);
    }
    json_array_end(&w);
    call_json_end(call, &w);
    return 0;
}

// The profile that the address names. document: NULL: only its row.
static int find(struct serve_call *call, struct stored_profile *ret, struct strbuf *document,
                struct err *err) {
    int64_t id = 0;
    TRY(call_item_id(call, "a profile", &id, err));
    return store_get_profile(call->store, id, &call->arena, ret, document, err);
}

int api_profile(struct serve_call *call, struct err *err) {
    struct stored_profile profile;
    TRY(find(call, &profile, NULL, err));
    struct json_writer w = call_json_begin(call);
    stored_profile_write(&profile, &w);
    call_json_end(call, &w);
    return 0;
}

int api_profile_document(struct serve_call *call, struct err *err) {
    struct stored_profile profile;
    call_json_type(call);
    return find(call, &profile, &call->out, err);
}

int api_profile_roofline(struct serve_call *call, struct err *err) {
    struct stored_profile profile;
    struct profile_document document;
    struct strbuf text = {0};
    call->type = "image/svg+xml";
    call->policy = PICTURE_POLICY;
    int code = find(call, &profile, &text, err);
    if (code == 0) code = profile_document_read(&text, "the profile", &call->arena, &document, err);
    strbuf_fini(&text);
    if (code == 0 && !document.roofline.point_count)
        code = err_set(err, ERR_NO_INPUT, "this profile has no place in a roofline");
    if (code == 0) roofline_svg(&document.roofline, &call->out);
    return code;
}
