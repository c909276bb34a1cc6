// SPDX-License-Identifier: Apache-2.0
//
// A sample report as one JSON document: the figures of the text, in ns, with the bins of its distribution.
// The samples themselves are in the result document. A figure that does not exist is absent.
#include <math.h>

#include "report/samples/sample_internal.h"

static void write_bound(struct json_writer *w, const char *key, double ns, double bound_ns, double p) {
    json_object_begin(w, key);
    json_maybe_double(w, "at_ns", ns);
    json_maybe_double(w, "upper_bound_ns", bound_ns);
    json_write_u64(w, "bound_needs", describe_percentile_bound_count(p, SAMPLE_SET_LEVEL));
    json_object_end(w);
}

static void write_figures(struct json_writer *w, const struct sample_set *set) {
    const struct describe *describe = &set->summary.describe;
    json_write_u64(w, "sample_count", describe->n);
    json_write_double(w, "effective_count", describe->effective_count);
    json_maybe_double(w, "autocorrelation", describe->acf1);
    json_write_double(w, "median_ns", describe->median);
    json_maybe_double(w, "median_low_ns", set->summary.figures.median_low_ns);
    json_maybe_double(w, "median_high_ns", set->summary.figures.median_high_ns);
    if (set->has_order) {
        json_object_begin(w, "median_by_order");
        json_write_double(w, "low_ns", set->order.at.lo);
        json_write_double(w, "high_ns", set->order.at.hi);
        json_write_u64(w, "low_rank", set->order.rank_lo);
        json_write_u64(w, "high_rank", set->order.rank_hi);
        json_write_double(w, "coverage", set->order.coverage);
        json_object_end(w);
    }
    json_write_double(w, "mean_ns", describe->mean);
    json_maybe_double(w, "sd_ns", describe->sd);
    json_maybe_double(w, "cv_pct", describe->cv_pct);
    json_write_double(w, "mad_ns", describe->mad);
    json_write_double(w, "min_ns", describe->min);
    json_write_double(w, "max_ns", describe->max);
    write_bound(w, "p95", describe->p95, set->p95_bound_ns, 0.95);
    write_bound(w, "p99", describe->p99, set->p99_bound_ns, 0.99);
    json_write_u64(w, "mode_count", describe->mode_count);
    json_maybe_double(w, "mode_gap_ratio", describe->mode_gap_ratio);
    json_maybe_double(w, "mode_split_ns", describe->mode_split);
    json_maybe_double(w, "mode_upper_ratio", describe->mode_upper_ratio);
    json_maybe_double(w, "drift_rho", describe->drift_rho);
    json_maybe_double(w, "drift_p", describe->drift_p);
}

static void write_distribution(struct json_writer *w, const struct sample_set *set) {
    struct sample_axis axis = sample_axis_make(set->sorted_ns, set->n);
    struct sample_bins bins = sample_bins_count(set, &axis);
    json_object_begin(w, "distribution");
    json_write_double(w, "first_ns", axis.first_ns);
    json_write_double(w, "step_ns", axis.step_ns);
    json_write_u64(w, "below_count", bins.below_count);
    json_write_u64(w, "above_count", bins.above_count);
    json_array_begin(w, "counts");
    for (size_t i = 0; i < axis.bin_count; ++i) json_write_u64(w, NULL, bins.counts[i]);
    json_array_end(w);
    json_object_end(w);
}

static void write_rounds(struct json_writer *w, const struct sample_set *set) {
    json_array_begin(w, "rounds");
    for (size_t r = 0; r < set->item->round_count; ++r) {
        const struct result_round *round = &set->item->rounds[r];
        if (round->samples[set->side].count == 0) continue;
        json_object_begin(w, NULL);
        json_write_u64(w, "round", round->round);
        json_write_u64(w, "attempt", round->attempt);
        json_write_bool(w, "is_valid", round->is_valid);
        json_maybe_string(w, "invalid_reason", round->invalid_reason);
        json_maybe_double(w, "median_ns", set->round_median_ns[r]);
        json_object_end(w);
    }
    json_array_end(w);
}

static int write_set(struct json_writer *w, const struct result *result, const struct result_case *item,
                     uint32_t side) {
    struct sample_set set = {0};
    struct arena arena = {0};
    if (sample_set_get(result, item, side, &set) < 0) return -1;
    json_object_begin(w, NULL);
    json_write_u64(w, "side", side);
    json_write_string(w, "label", result_side_name(result, side, &arena));
    if (!result->external_format) json_write_string(w, "role", side_role_name(result->sides[side].role));
    if (set.outcome != OUTCOME_NONE) json_write_string(w, "outcome", outcome_name(set.outcome));
    json_write_u64(w, "taken_count", set.taken_count);
    if (set.n > 0) {
        write_figures(w, &set);
        write_distribution(w, &set);
    }
    json_object_begin(w, "discarded");
    for (int i = DISCARD_NONE + 1; i < DISCARD_COUNT; ++i)
        if (set.discarded_counts[i])
            json_write_u64(w, discard_name((enum discard)i), set.discarded_counts[i]);
    json_object_end(w);
    json_write_u64(w, "invalid_count", set.invalid_count);
    if (set.n > 0 || set.outcome == OUTCOME_NOT_VALID) write_rounds(w, &set);
    json_object_end(w);
    arena_fini(&arena);
    sample_set_fini(&set);
    return 0;
}

int sample_report_json(const struct result *result, const struct sample_report_options *options,
                       struct strbuf *out, struct err *err) {
    struct sample_selection selection = {0};
    TRY(sample_select(result, options, &selection, err));
    struct json_writer w = json_writer_make(out, 2);
    int status = 0;
    json_object_begin(&w, NULL);
    json_write_string(&w, "kind", SAMPLE_REPORT_KIND);
    json_write_u64(&w, "schema_version", SAMPLE_REPORT_SCHEMA_VERSION);
    json_maybe_string(&w, "run_id", result->run_id);
    json_array_begin(&w, "cases");
    for (size_t i = 0; i < result->case_count && status == 0; ++i) {
        const struct result_case *item = &result->cases[i];
        if (!selection.has_case[i]) continue;
        json_object_begin(&w, NULL);
        json_write_string(&w, "problem", item->problem.name);
        json_maybe_string(&w, "short_name", item->short_name);
        if (item->unusable_reason != REASON_NONE) { // another tool's file that `assay compare` would refuse
            json_object_begin(&w, "unusable");
            json_write_string(&w, "reason", reason_name(item->unusable_reason));
            json_maybe_string(&w, "words", item->unusable_text);
            if (item->left_out_count) json_write_u64(&w, "left_out_count", item->left_out_count);
            json_object_end(&w);
        }
        json_array_begin(&w, "sides");
        for (size_t side = 0; side < selection.side_count && status == 0; ++side)
            status = write_set(&w, result, item, selection.sides[side]);
        json_array_end(&w);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    strbuf_add_char(out, '\n');
    sample_select_fini(&selection);
    return status < 0 ? err_set(err, ERR_INTERNAL, "no memory for the report of the samples") : 0;
}
