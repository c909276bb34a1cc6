// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as plan.json: it is written again as it was read, and its orders and its result are made, or it
// is refused with a sentence that names the file.
#include <stdlib.h>
#include <string.h>

#include "control/plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static bool parse(const char *text, size_t length, struct plan *ret) {
    struct err err = {0};
    json_t *root = NULL;
    int code = json_read_text(text, length, "plan.json", &root, &err);
    if (code == 0) code = plan_parse(root, "plan.json", ret, &err);
    json_decref(root);
    if (code < 0 && (code != -ERR_DATA || !strstr(err.text, "plan.json"))) abort();
    return code == 0;
}

static bool fits_nano(double limit) {
    return limit >= 0 && limit * 1e9 < (double)INT64_MAX;
}

static void use(const struct plan *plan) {
    const struct run_limits *limits = &plan->sampling.limits;
    if (!fits_nano(limits->case_s) || !fits_nano(limits->gate_s) || !fits_nano(limits->memory_gb)) abort();
    struct arena arena = {0};
    struct work_order order;
    struct result result;
    struct strbuf text = {0};
    struct err err = {0};
    plan_round_order(plan, &(struct plan_round){.round = 1}, &arena, &order);
    work_order_write(&order, &text);
    plan_check_order(plan, NULL, 0, &arena, &order);
    work_order_write(&order, &text);
    if (plan_result(plan, &result, &err) == 0)
        result_fini(&result);
    else if (plan->side_count > 0)
        abort();
    strbuf_fini(&text);
    arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    struct plan plan, again;
    struct strbuf once = {0}, twice = {0};
    if (!parse((const char *)bytes, count, &plan)) return 0;
    plan_write(&plan, &once);
    if (!parse(once.text, once.length, &again)) abort();
    plan_write(&again, &twice);
    if (!str_equal(once.text, twice.text)) abort();
    use(&plan);
    plan_fini(&plan);
    plan_fini(&again);
    strbuf_fini(&once);
    strbuf_fini(&twice);
    return 0;
}
