# long: seven tunings and gates
# bench/tune_h200.sh from its first part to its last, with scripts in place of the kernels and two calls in place of one: what the first
# leaves, the second finishes from the state that came back, on a machine that has nothing.
mkdir -p tree/kernels/attention
forms='values: {WARPGROUPS: [0, 1, 2, 3], SPLITS: [0, 1, 2]}, rules: [WARPGROUPS * SPLITS > 0, WARPGROUPS / 2 * (SPLITS / 2) == 0]'
cat >tree/assay.yaml <<Y
version: 1
kernels:
  fa_sm80:
    operator: attention
    backend: sim
    sim: {base_us: 100}
    tune: {values: {BLOCK_M: [128, 64], NUM_WARPS: [8, 4], STAGES: [2, 1]}, effects: [{when: {BLOCK_M: 64, NUM_WARPS: 4}, sim: {slower_pct: -10}}]}
  fa_s512:
    operator: attention
    backend: sim
    sim: {base_us: 100}
    tune: {values: {BLOCK_M: [64, 128], NUM_WARPS: [4, 8]}, effects: [{when: {BLOCK_M: 128, NUM_WARPS: 8}, sim: {slower_pct: -10}}]}
  fa_sm90: {operator: attention, backend: sim, sim: {base_us: 60}, tune: {$forms, effects: [{when: {WARPGROUPS: 2}, sim: {slower_pct: -8, slower_on: attention/fp16/b1/h1/s16/d64}}, {when: {SPLITS: 2}, sim: {slower_pct: -50, unsupported_on: attention/fp16/b1/h1/s32/d64}}]}}
  fa_sm90_fp8: {operator: attention, backend: sim, sim: {base_us: 50}, tune: {$forms, effects: [{when: {WARPGROUPS: 2}, sim: {slower_pct: 20}}, {when: {WARPGROUPS: 3}, sim: {slower_pct: 20}}, {when: {SPLITS: 2}, sim: {slower_pct: 20}}]}}
  fa: {operator: attention, backend: sim, sim: {base_us: 55}, tune: {values: {FORM: [0, 1, 2]}}}
suites:
  pr: {problems: {s16: attention/fp16/b1/h1/s16/d64, s512: attention/fp16/b1/h1/s32/d64}}
Y
script() { # $1: the machine; $2: STATE_TAR of the call; $3...: its parts
    local machine=$1 tar=$2
    shift 2
    DEVICE=sim:promise SUITE=pr TREE=tree STATE=$machine OUT=back STATE_TAR=$tar FORMS_FROM= FA_FROM= BEST_ENTRY="operator: attention, backend: sim, sim: {base_us: 60}" \
        "$ASSAY_SOURCE/bench/tune_h200.sh" "$@" 2>&1 | sed -E 's/, [0-9]+ s$//' |
        grep -E '^(tune_h200.sh|build|loop|fa[_a-z0-9]*|gate_[a-z0-9]*|measured again|the best single variant): '
}
script first "" nothing
script first "" loop fa_sm90
CALL_S=20 script first "" fa
# Killed in its final, and gone on with on another machine: the final is measured again.
rm first/done/fa_sm90
journal=$(echo first/runs/fa_sm90/*/final/journal.jsonl)
head -c $(($(stat -c %s "$journal") / 2)) "$journal" | sed 's/"sim-[0-9a-f]*"/"sim-other"/' >half && mv half "$journal"
mkdir "${journal%/*}/references" && touch -d yesterday "${journal%/*}"
script first "" fa_sm90
script second back/state.tar.gz
grep -o '"SPLITS.*measured' second/keep/fa_sm90_table.h
ls second/keep tree tree/kernels/attention back
touch second/cache/built
AGAIN=1 CALL_S=20 script second "" build loop fa_sm90
ls second/keep second/cache | grep -E '^(built|before|after|loop|.*_table)' || echo "nothing is left of what is repeated"
