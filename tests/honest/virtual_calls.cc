// SPDX-License-Identifier: Apache-2.0
//
// Style: virtual functions, run-time type information and memory from new in every launch.
#include <memory>

#include "honest.h"

namespace {
struct strategy {
    virtual ~strategy() = default;
    virtual void row(struct honest *h, int64_t index) const = 0;
};
struct plain : strategy {
    void row(struct honest *h, int64_t index) const override { honest_row(h, index); }
};
struct masked : strategy {
    void row(struct honest *h, int64_t index) const override { honest_row(h, index); }
    static int64_t last(const struct honest *h) { return honest_rows(h) - 1; }
};
} // namespace

static int launch(struct honest *h) {
    std::unique_ptr<strategy> s;
    if (h->causal)
        s = std::make_unique<masked>();
    else
        s = std::make_unique<plain>();
    const bool is_masked = dynamic_cast<masked *>(s.get()) != nullptr;
    const int64_t last = is_masked ? masked::last(h) : honest_rows(h) - 1;
    for (int64_t i = 0; i <= last; ++i) s->row(h, i);
    return ASSAY_OK;
}

HONEST_KERNEL(launch)
