# SPDX-License-Identifier: Apache-2.0
# Sourced by tests: a script with 36 settings, 24 of them allowed and right. WARPS=8 is wrong and would be three times as fast; the
# best of the others, BLOCK_M=64,STAGES=2,WARPS=4, takes 0.664 of the baseline's time.
. "$ASSAY_SOURCE/tests/cli/tune/_manifest.sh"
space='values: {BLOCK_M: [16, 32, 64, 128], STAGES: [1, 2, 3], WARPS: [2, 4, 8]}, rules: ["BLOCK_M * STAGES <= 256"]'
problems="a: scale/fp32/n64, b: scale/fp32/n65"
manifest "$space, effects: [
    {when: {BLOCK_M: 32}, sim: {slower_pct: -10}},
    {when: {BLOCK_M: 64}, sim: {slower_pct: -18}},
    {when: {BLOCK_M: 128}, sim: {slower_pct: -5}},
    {when: {STAGES: 2}, sim: {slower_pct: -12}},
    {when: {STAGES: 3}, sim: {slower_pct: -6}},
    {when: {WARPS: 4}, sim: {slower_pct: -8}},
    {when: {WARPS: 8}, sim: {slower_pct: -70, skips_work_at_launch: 1}}]" "$problems"
tune() { assay tune --device sim:promise --suite pr "$@"; }
tune_report() { report_of tune --device sim:promise --suite pr "$@"; }
