// SPDX-License-Identifier: Apache-2.0
//
// Style: static members of templates and local statics with guards.
#include <array>

#include "exp_table.h"
#include "honest.h"

template <int N> struct tables {
    static std::array<double, N> values;
    static const std::array<double, N> &get() {
        static const bool is_filled = (exp_table_fill(values.data()), true);
        (void)is_filled;
        return values;
    }
};
template <int N> std::array<double, N> tables<N>::values;

template <int N> static double look_up(double x) {
    return exp_table_get(tables<N>::get().data(), x);
}

static int launch(struct honest *h) {
    honest_all_with(h, look_up<EXP_TABLE_COUNT>);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
