// SPDX-License-Identifier: Apache-2.0
//
// Private to the attention_*.c files: the parameters of an attention problem and the functions shared by
// those files. All other code uses op/operator.h.
#ifndef OP_ATTENTION_ATTENTION_INTERNAL_H
#define OP_ATTENTION_ATTENTION_INTERNAL_H

#include "op/attention/device_attention_args.h"
#include "op/mutant.h"
#include "op/operator.h"

#define ATTENTION_HEAD_DIM_MAX 512

// Values as in the ABI's scalar.
enum causal { CAUSAL_NONE = 0, CAUSAL_TOP_LEFT = 1, CAUSAL_BOTTOM_RIGHT = 2 };

// A tensor with a number for every query and key, [B][H][Sq][Sk]: which of batch and heads are axes of its
// own. The others have extent 1 and stride 0: it is the same for all of them.
enum pair_axes { PAIR_AXES_ABSENT = 0, PAIR_AXES_NONE, PAIR_AXES_B, PAIR_AXES_H, PAIR_AXES_BH };

struct attention_params {
    int64_t batch, heads, heads_kv, seq_q, seq_k, head_dim;
    int64_t head_dim_v; // of V and the output; head_dim unless named
    int64_t window;     // a causal row sees the last so many of its keys; 0: all
    double softcap;     // a score s becomes softcap tanh(s / softcap), before the mask; 0: it stays
    double scale;       // multiplies Q K^T; 1/sqrt(head_dim) unless named
    int32_t dtype_q;    // enum assay_dtype
    int32_t dtype_kv;   // of K and V
    int32_t dtype_out;  // of the output and of a bias; attention_dtype_out_default unless named
    int32_t causal;     // enum causal
    int32_t mask;       // enum pair_axes: which keys a query may attend to, besides the causal mask
    int32_t bias;       // enum pair_axes: what is added to the scores, before the mask
    bool is_bshd;       // memory order batch, sequence, head, dim instead of batch, head, sequence, dim
    bool is_packed;     // Q, K and V are one tensor, "qkv", and the output lies in memory as with is_bshd
    bool has_lse;
    int64_t mask_shift; // of mutants (attention_mutants.c): a causal row sees this many keys more; else 0
};

// A problem and its tensors with Q, K and V as tensors of their own: views, where they are packed.
struct attention_unpacked {
    struct problem problem;
    struct assay_tensor tensors[OP_TENSORS_MAX];
    uint32_t tensor_count;
};

// Tensors of a problem by role; those it does not have are NULL.
struct attention_tensors {
    const struct assay_tensor *q, *k, *v, *q_scale, *k_scale, *v_scale, *mask, *bias, *out, *lse;
};

static inline const struct attention_params *attention_params_of(const struct problem *problem) {
    return (const struct attention_params *)(const void *)problem->params;
}

// attention_problem.c
double attention_scale_default(int64_t head_dim);
static inline bool pair_axes_has_batch(int32_t axes) {
    return axes == PAIR_AXES_B || axes == PAIR_AXES_BH;
}
static inline bool pair_axes_has_heads(int32_t axes) {
    return axes == PAIR_AXES_H || axes == PAIR_AXES_BH;
}
int32_t attention_dtype_out_default(int32_t dtype_q);
int attention_check(const struct attention_params *params, struct err *err); // limits; ERR_USAGE
// Query row `row` sees keys [attention_first_key, attention_visible), of them those that a mask shows; none
// where the first is not below.
int64_t attention_visible(const struct attention_params *params, int64_t row);
int64_t attention_first_key(const struct attention_params *params, int64_t row);
struct attention_tensors attention_tensors_find(const struct assay_tensor *tensors, uint32_t tensor_count);
void attention_describe(const struct problem *problem, struct problem_abi *ret);
void attention_unpack(const struct problem *problem, const struct assay_tensor *tensors,
                      struct attention_unpacked *ret);
double attention_flops(const struct problem *problem);
double attention_bytes(const struct problem *problem);

// attention_name.c
int attention_parse(const struct operator_def *op, const char *const *fields, size_t field_count,
                    void *params, struct err *err);
void attention_format(const struct problem *problem, struct strbuf *out);

// attention_inputs.c
extern const char *const attention_distributions[]; // besides "normal"
#define ATTENTION_MEASURED_FIRST 9 // of them: this one and those behind it are for measuring too
bool attention_distribution_applies(const struct problem *problem, const char *distribution);
int attention_fill(const struct problem *problem, const char *distribution, uint64_t seed,
                   uint32_t tensor_index, const struct assay_tensor *tensor, struct err *err);
// What a distribution makes of a tensor's deviates, where it is one of those that are measured; else false.
bool attention_inputs_form(const struct attention_params *params, const char *distribution, uint64_t seed,
                           int32_t role, struct dev_attention_inputs *ret);
// The role of the tensor that a scale tensor scales; any other role gives itself.
int32_t attention_scaled_role(int32_t role);
// Random streams (seed_stream.h) of a tensor's values, and of its heads' scales; role: from
// attention_scaled_role.
uint64_t attention_value_stream(int32_t role);
uint64_t attention_scale_stream(int32_t role);

// attention_launches.c
extern const struct op_device attention_device;

// attention_oracle.c values[i] = e^values[i] for values <= 0 or NaN; count is a multiple of 4.
void attention_exp_row(double *values, size_t count);
int attention_oracle(const struct problem *problem, const struct assay_tensor *tensors,
                     double *const *outputs, const struct assay_cpu_stream *stream, struct err *err);
int attention_oracle_rows(const struct problem *problem, const struct assay_tensor *tensors,
                          const struct op_rows *rows, double *const *outputs, struct err *err);

// attention_mutants.c
extern const struct mutant attention_mutants[];

// attention_boundary.c
extern const struct op_boundary attention_boundary[];
void attention_draw(const struct operator_def *op, struct dice *dice, struct strbuf *ret_fields);

// attention_suites.c
extern const struct op_suite attention_suites[];
extern const struct op_peer attention_peers[];
extern const struct op_variable attention_variables[];

// attention_cases.c
struct op_tolerance attention_tolerance(const struct problem *problem, const char *distribution,
                                        uint32_t tensor_index);
void attention_slice_counts(const struct problem *problem, uint64_t *ret_groups, uint64_t *ret_rows);
void attention_slice(const struct problem *problem, const struct assay_tensor *tensors, uint64_t group,
                     uint64_t row, struct op_slice *ret);
bool attention_slice_rows(const struct problem *problem, const struct assay_tensor *tensors,
                          const struct op_rows *rows, struct op_slice *ret, void **ret_memory);
int64_t attention_size(const struct problem *problem, size_t axis);
bool attention_resize(const struct problem *problem, size_t axis, int64_t size, struct problem *ret);
bool attention_drop_option(struct problem *problem, size_t step);

#endif
