// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's host library: it knows the metrics of every chip that it supports, and needs no GPU.
#include <stdlib.h>

#include "base/comma.h"
#include "base/mem.h"
#include "worker/backend/cuda/cupti.h"

static int open_host(struct cupti_metrics *metrics, const struct cupti_metrics_request *request,
                     struct err *err) {
    struct cupti_host_open params = {.bytes = CUPTI_BYTES(struct cupti_host_open, ret_host),
                                     .type = CUPTI_OF_RANGES,
                                     .chip = request->chip,
                                     .availability = request->availability};
    const cupti_result code = metrics->cupti->host_open(&params);
    if (code) return cupti_fail(metrics->cupti, code, "the metrics of this GPU's chip are not known", err);
    metrics->host = params.ret_host;
    return 0;
}

static bool is_known(const struct cupti_metrics *metrics, const char *name) {
    struct cupti_metric_properties params = {
        .bytes = CUPTI_BYTES(struct cupti_metric_properties, ret_type), .host = metrics->host, .name = name};
    return metrics->cupti->get_properties(&params) == CUPTI_OK;
}

static int take_names(struct cupti_metrics *metrics, const struct cupti_metrics_request *request,
                      struct strbuf *unknown, struct err *err) {
    metrics->names = mem_alloc((request->name_count + 1) * sizeof *metrics->names);
    for (size_t i = 0; i < request->name_count; ++i) {
        if (is_known(metrics, request->names[i]))
            metrics->names[metrics->count++] = request->names[i];
        else
            comma_add(unknown, request->names[i]);
    }
    if (metrics->count) return 0;
    return err_set(err, ERR_UNAVAILABLE, "the chip %s has none of the metrics that were asked for",
                   request->chip);
}

static int make_image(struct cupti_metrics *metrics, struct err *err) {
    static const char what[] = "the metrics cannot be scheduled";
    const struct cupti *cupti = metrics->cupti;
    struct cupti_add_metrics add = {.bytes = CUPTI_BYTES(struct cupti_add_metrics, count),
                                    .host = metrics->host,
                                    .names = metrics->names,
                                    .count = metrics->count};
    struct cupti_config_size size = {.bytes = CUPTI_BYTES(struct cupti_config_size, ret_bytes),
                                     .host = metrics->host};
    cupti_result code = cupti->add_metrics(&add);
    if (!code) code = cupti->get_config_size(&size);
    if (code) return cupti_fail(cupti, code, what, err);
    metrics->image_bytes = size.ret_bytes;
    metrics->image = mem_alloc(size.ret_bytes);
    struct cupti_config_image image = {.bytes = CUPTI_BYTES(struct cupti_config_image, image),
                                       .host = metrics->host,
                                       .image_bytes = metrics->image_bytes,
                                       .image = metrics->image};
    struct cupti_pass_count passes = {.bytes = CUPTI_BYTES(struct cupti_pass_count, ret_count),
                                      .image_bytes = metrics->image_bytes,
                                      .image = metrics->image};
    code = cupti->get_config_image(&image);
    if (!code) code = cupti->get_pass_count(&passes);
    if (code) return cupti_fail(cupti, code, what, err);
    metrics->pass_count = passes.ret_count;
    return 0;
}

int cupti_metrics_open(const struct cupti *cupti, const struct cupti_metrics_request *request,
                       struct cupti_metrics *ret, struct strbuf *unknown, struct err *err) {
    struct cupti_metrics metrics = {.cupti = cupti};
    int code = open_host(&metrics, request, err);
    if (code == 0) code = take_names(&metrics, request, unknown, err);
    if (code == 0) code = make_image(&metrics, err);
    if (code < 0)
        cupti_metrics_close(&metrics);
    else
        *ret = metrics;
    return code;
}

void cupti_metrics_close(struct cupti_metrics *metrics) {
    if (metrics->host) {
        struct cupti_host_only params = {.bytes = CUPTI_BYTES(struct cupti_host_only, host),
                                         .host = metrics->host};
        (void)metrics->cupti->host_close(&params);
    }
    free(metrics->names);
    free(metrics->image);
    *metrics = (struct cupti_metrics){0};
}

int cupti_metrics_evaluate(const struct cupti_metrics *metrics, const uint8_t *data, size_t data_bytes,
                           size_t range_index, double *values, struct err *err) {
    struct cupti_evaluate params = {.bytes = CUPTI_BYTES(struct cupti_evaluate, values),
                                    .host = metrics->host,
                                    .data = data,
                                    .data_bytes = data_bytes,
                                    .range_index = range_index,
                                    .names = metrics->names,
                                    .count = metrics->count,
                                    .values = values};
    const cupti_result code = metrics->cupti->evaluate(&params);
    return code ? cupti_fail(metrics->cupti, code, "the counters cannot be evaluated", err) : 0;
}
