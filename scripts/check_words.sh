#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Checks that words replaced by the field's own (docs/glossary.md), and some phrases of bad English, do not come back into code
# and comments, and that no line of a source is longer than 110 columns. Strings are left out but for former keys and options,
# which stand only where a line says that it is one: some old words are names of random streams, which stay. So do the tables
# of kernels/attention that `assay tune --emit` wrote.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 70

# Old word -> its replacement. Whole words; extended regular expressions.
words() {
    cat <<'LIST'
errands? -> job
yardsticks? -> same-precision reference
device_desk|desk -> device_scratch, scratch
guardian -> clock holder
ledger -> gate log
tensor_site|site_(host|device) -> checker_ops, checker_host, checker_device
cuda_machine -> cuda_device
cuda_shared -> cuda_context_state
cuda_order -> cuda_serialization
device_program -> kernel_launch
planted|plants -> canary, canaries
placements? -> memory layout
rests?_ns|read_rest_ns -> tail_ns
rest_ratio|rest_until_ns -> cooldown_ratio, cooldown_until_ns
regimes? -> power mode
wishes_parse -> optional_parse
bury -> reap
spin clocks? -> clock probe
settle_(run|ns|result)|settling -> stabilize, stabilization
foreign_(ns|pct|process_count|format|case_add) -> others_ns, others_pct, other_process_count, external_format
helper_(host|args|core|text)|device_helpers -> device kernels
case_buffers_look|tensor_site_look -> make_visible
gate_confirmation|gate_history -> gate_rerun, gate_rerun_history
executor_ask|ask_devices|take_answer -> executor_query, query_devices, receive_reply
accus(e|es|ed|ation|ations) -> false alarm
certif(y|ies|ied) -> detect, can detect
could see -> detectable
fa_copier|fa_hopper_copy -> producer warp
fa_stream|fa_hopper_stream -> consumer warpgroup
fa_ring|fa_leaving -> pipeline state, epilogue
fa_place_values|FA_PLACERS -> V conversion warps
fa_repair -> NaN and Inf fix-up
fa_merge|fa_split_merge -> combine
fa_thread|fa_frame -> fa_sm80_fragments, fa_sm80_mainloop_step
fa_question|fa_way|fa_form -> heuristic inputs, config, tile config
hopper_registers_(more|fewer) -> warpgroup_reg_alloc, warpgroup_reg_dealloc
hopper_hold|hopper_fence -> warpgroup_fence_operand, warpgroup_arrive
hopper_commit|hopper_wait -> warpgroup_commit_batch, warpgroup_wait
hopper_scores|hopper_weighted -> wgmma_ss, wgmma_rs
hopper_pair_(wait|arrive) -> named_barrier_sync, named_barrier_arrive
hopper_send|hopper_of_rank -> st_async, mapa
of no account -> unknown, or not used
for nobody -> unused
famil(y|ies) of inputs|input famil(y|ies)|inputs' famil(y|ies) -> input distribution
LIST
}

mapfile -t sources < <(git ls-files src kernels include peers examples tests bench \
    ':!kernels/attention/fa_dispatch.h' ':!kernels/attention/fa_sm90*_table.h' |
    grep -E '\.(c|h|cc|cpp|cu|cuh)$')
words | awk '
FILENAME == "-" {
    split($0, parts, " -> ")
    pattern[++count] = "(^|[^A-Za-z0-9_-])(" parts[1] ")([^A-Za-z0-9_]|$)"
    instead[count] = parts[2]
    any = any (any == "" ? "" : "|") parts[1]
    next
}
FNR == 1 && count { every = "(^|[^A-Za-z0-9_-])(" any ")([^A-Za-z0-9_]|$)" }
{
    # Columns, not bytes: continuation bytes of UTF-8 have no width.
    shown = $0
    gsub(/[\200-\277]/, "", shown)
    if (length(shown) > 110) { print FILENAME ":" FNR ": " length(shown) " columns; the limit is 110"; failures++ }
    if ($0 ~ /"(settle_ns|yardstick_[a-z]+|spin_clock_hz|regime|placement|foreign_[a-z_]+)[\\"]|--(family|placement|regime)/ &&
        tolower(FILENAME $0) !~ /former/) { print FILENAME ":" FNR ": a former name: docs/stability.md: " $0; failures++ }
    gsub(/"([^"\\]|\\.)*"/, "\"\"")
    if ($0 !~ every) next
    for (i = 1; i <= count; i++)
        if ($0 ~ pattern[i]) { print FILENAME ":" FNR ": say: " instead[i] ": " $0; failures++ }
}
END {
    if (failures) { print "check_words: " failures " lines"; exit 1 }
    print "check_words: no old word, no line above 110 columns"
}' - "${sources[@]}"
